import type { Tx } from "@/db/client";
import type { NotificationProvider } from "./provider";
import { attemptsMax } from "./states";

export type ClaimOptions = {
  worker: string;
  provider: Pick<NotificationProvider, "name" | "idempotentByKey">;
  batchMax: number;
  leaseTtlMs: number;
};
export type Claim = { id: string; tenantGroupId: string; clinicId: string; commandId: string; fence: string; attempt: number };
export type Claimed = { claims: Claim[]; lost: { unknown: number; exhausted: number } };

/**
 * Takes what is due, oldest first, for one lease: attempt + 1, fence + 1. Expired leases of dead workers come first.
 * `provider` in a SENDING row is written just before the hand-over, so an expired row without one was certainly never handed over.
 */
export async function claimIntents(tx: Tx, options: ClaimOptions): Promise<Claimed> {
  const taken = await takeOverExpired(tx, options);
  const due = await claimDue(tx, options, options.batchMax - taken.claims.length);
  return { claims: [...taken.claims, ...due], lost: taken.lost };
}

type ClaimRow = {
  id: string;
  tenant_group_id: string;
  clinic_id: string;
  command_id: string;
  fence: string;
  attempts: number;
  state: string;
};

const toClaim = (row: ClaimRow): Claim => ({
  id: row.id,
  tenantGroupId: row.tenant_group_id,
  clinicId: row.clinic_id,
  commandId: row.command_id,
  fence: row.fence,
  attempt: row.attempts,
});

async function claimDue(tx: Tx, { worker, leaseTtlMs }: ClaimOptions, limit: number): Promise<Claim[]> {
  if (limit <= 0) return [];
  // materialised: as a plain sub-query the planner may run it again and lock more rows than the limit
  const rows = await tx.sql<ClaimRow[]>`
    with due as materialized (
      select id
      from notification_intents
      where state in ('PENDING', 'RETRY_WAIT') and next_attempt_at <= (select clock_timestamp())
      order by next_attempt_at
      limit ${limit}
      for no key update skip locked
    )
    update notification_intents i
    set state = 'SENDING', attempts = i.attempts + 1, fence = i.fence + 1, provider = null,
        lease_owner = ${worker}, lease_until = clock_timestamp() + make_interval(secs => ${leaseTtlMs / 1000}::float8)
    from due
    where i.id = due.id
    returning i.id, i.tenant_group_id, i.clinic_id, i.command_id, i.fence, i.attempts, i.state`;
  return rows.map(toClaim);
}

/**
 * What a dead worker left. Never handed over, or handed to this very provider that is idempotent by key: send again. Handed over otherwise: it may have
 * been delivered, so it ends UNKNOWN and waits for STAFF. The lost attempt gets its delivery row either way.
 */
async function takeOverExpired(tx: Tx, { worker, provider, batchMax, leaseTtlMs }: ClaimOptions): Promise<Claimed> {
  const lease = leaseTtlMs / 1000;
  const rows = await tx.sql<ClaimRow[]>`
    with expired as materialized (
      select id, provider, attempts, fence, lease_owner, lease_until,
             attempts < ${attemptsMax}::int and (provider is null or (${provider.idempotentByKey}::boolean and provider = ${provider.name}::text)) as again,
             case when provider is null then 'EXHAUSTED' else 'UNKNOWN' end as end_state
      from notification_intents
      where state = 'SENDING' and lease_until < (select clock_timestamp())
      order by lease_until
      limit ${batchMax}
      for no key update skip locked
    ), taken as (
      update notification_intents i
      set state = case when e.again then 'SENDING' else e.end_state end,
          attempts = i.attempts + case when e.again then 1 else 0 end,
          fence = i.fence + 1,
          provider = case when e.again then null else i.provider end,
          reason_code = 'LEASE_EXPIRED',
          lease_owner = case when e.again then ${worker} end,
          lease_until = case when e.again then clock_timestamp() + make_interval(secs => ${lease}::float8) end,
          settled_at = case when e.again then null else clock_timestamp() end
      from expired e
      where i.id = e.id
      returning i.*
    ), lost as (
      insert into notification_deliveries (tenant_group_id, clinic_id, intent_id, command_id, attempt, fence, provider, outcome, reason_code,
                                           worker, started_at, duration_ms)
      select t.tenant_group_id, t.clinic_id, t.id, t.command_id, e.attempts, e.fence, coalesce(e.provider, ${provider.name}::text),
             case when not e.again then e.end_state when e.provider is null then 'RETRY_WAIT' else 'UNKNOWN' end, 'LEASE_EXPIRED',
             e.lease_owner, e.lease_until - make_interval(secs => ${lease}::float8), ${Math.round(leaseTtlMs)}::int
      from taken t
      join expired e on e.id = t.id
    )
    select id, tenant_group_id, clinic_id, command_id, fence, attempts, state from taken`;
  const ended = (state: string) => rows.filter((row) => row.state === state).length;
  return {
    claims: rows.filter((row) => row.state === "SENDING").map(toClaim),
    lost: { unknown: ended("UNKNOWN"), exhausted: ended("EXHAUSTED") },
  };
}
