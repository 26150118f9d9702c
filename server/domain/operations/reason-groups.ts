import { z } from "zod";
import type { Tx } from "@/db/client";
import type { OperationsScope } from "./types";

/** Rows of one clinic that stopped for one reason in one consumer. */
export type ReasonGroup = {
  id: string;
  clinicId: string;
  clinicRef: string;
  zone: string;
  rowKind: "inbox" | "outbox";
  consumer: string;
  reasonCode: string;
  /** Waiting for a decision; exact. */
  open: number;
  /** Kept as they are by a decision. */
  kept: number;
  /** When the first of the open ones stopped. */
  oldestAt: string | null;
};
export const groupsCursor = z.object({ open: z.int(), id: z.uuid() });
export type GroupsCursor = z.infer<typeof groupsCursor>;
export type ReasonGroups = {
  groups: ReasonGroup[];
  /** Of all groups in scope, shown or not. */
  total: { groups: number; rows: number };
  next: GroupsCursor | null;
  asOf: string;
};

/**
 * Reason groups with something to decide, the largest first, one bounded page, and how many there are in all. Counts come from the rows that the
 * writers keep, so they are exact and cost the same whatever the inbox holds.
 */
export async function reasonGroups(tx: Tx, scope: OperationsScope, after: GroupsCursor | null, limit: number): Promise<ReasonGroups> {
  const inScope = tx.sql`g.tenant_group_id = ${scope.tenantGroupId} and g.clinic_id = any (${[...scope.clinicIds]}::uuid[]) and g.open > 0`;
  const [total] = await tx.sql<{ groups: number; rows: number; as_of: string }[]>`
    select count(*)::int as groups, coalesce(sum(g.open), 0)::int as rows, clock_timestamp() as as_of from delivery_groups g where ${inScope}`;
  const groups = await tx.sql<ReasonGroup[]>`
    select page.id, page.clinic_id as "clinicId", c.ref as "clinicRef", c.zone, page.row_kind as "rowKind", page.consumer,
      page.reason_code as "reasonCode", page.open, page.kept, oldest.stopped_at as "oldestAt"
    from (
      select g.* from delivery_groups g
      where ${inScope} ${after ? tx.sql`and (g.open, g.id) < (${after.open}, ${after.id}::uuid)` : tx.sql``}
      order by g.open desc, g.id desc
      limit ${limit + 1}
    ) page
    join clinics c on c.id = page.clinic_id
    left join lateral (
      select t.stopped_at from delivery_tasks t
      where t.clinic_id = page.clinic_id and t.row_kind = page.row_kind and t.consumer = page.consumer and t.reason_code = page.reason_code
        and t.status = 'OPEN'
      order by t.stopped_at
      limit 1) oldest on true
    order by page.open desc, page.id desc`;
  const last = groups.length > limit ? groups[limit - 1] : undefined;
  return {
    groups: groups.slice(0, limit),
    total: { groups: total?.groups ?? 0, rows: total?.rows ?? 0 },
    next: last ? { open: last.open, id: last.id } : null,
    asOf: total?.as_of ?? "",
  };
}
