import { type Tx, withRead } from "@/db/client";
import { inboxBacklog } from "@/server/domain/inbox/inbox-backlog";
import { type DrillWorld, drillConsumerId } from "./drill-world";

/** What a drill asks of the records at its end. Each answer is short text that is compared with what must be. */
export const effectsOf = (world: DrillWorld, eventIds: string[]): Promise<string> =>
  world.read(async (tx) => {
    const rows = await tx.sql<{ n: number }[]>`
      select (select count(*)::int4 from drill_effects d where d.event_id = e.id) as n
      from unnest(${eventIds}::uuid[]) with ordinality as e (id, position)
      order by position`;
    return rows.map(({ n }) => n).join(" ");
  });

export type RowSeen = { id: string; state: string; reason: string | null; attempts: number; fence: string; version: string };

/** The inbox row of an event. Throws when there is none. */
export const rowOf = (world: DrillWorld, eventId: string): Promise<RowSeen> =>
  world.read(async (tx) => {
    const [row] = await tx.sql<RowSeen[]>`
      select id, state, reason_code as reason, attempts, fence, version from inbox where consumer = ${drillConsumerId} and event_id = ${eventId}`;
    if (!row) throw new Error("an event of the drill has no row");
    return row;
  });

/** How attempts and arrivals of an event ended, in order. */
export const deliveriesOf = (world: DrillWorld, eventId: string): Promise<string> =>
  world.read(async (tx) => {
    const rows = await tx.sql<{ outcome: string }[]>`select outcome from inbox_deliveries where event_id = ${eventId} order by at, id`;
    return rows.map(({ outcome }) => outcome).join(" ");
  });

/**
 * Rows of the scope that a live worker sees, by a count over all tenants and by its own measure of the backlog: none. The drill sees its own, so the
 * question is not asked of an empty table.
 */
export async function seenByLiveWorkers(world: DrillWorld): Promise<string> {
  const { tenantGroupId } = world.scope;
  const { live, worker } = world.deps;
  const count = async (tx: Tx): Promise<number> => {
    const [row] = await tx.sql<{ n: number }[]>`
      select ((select count(*) from inbox where tenant_group_id = ${tenantGroupId}) + (select count(*) from inbox_deliveries where tenant_group_id = ${tenantGroupId})
        + (select count(*) from delivery_tasks where tenant_group_id = ${tenantGroupId}) + (select count(*) from replay_requests where tenant_group_id = ${tenantGroupId})
        + (select count(*) from planning_runs where tenant_group_id = ${tenantGroupId}) + (select count(*) from appointments where tenant_group_id = ${tenantGroupId})
        + (select count(*) from clinics where tenant_group_id = ${tenantGroupId}))::int4 as n`;
    return row?.n ?? -1;
  };
  const own = await world.read(count);
  if (own === 0) return "nothing was asked";
  return withRead(live, { worker }, async (tx) => {
    const backlog = (await inboxBacklog(tx)).filter(({ consumer }) => consumer === drillConsumerId).length;
    return `${(await count(tx)) + backlog} rows`;
  });
}
