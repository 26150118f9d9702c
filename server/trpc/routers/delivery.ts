import { z } from "zod";
import { withRead } from "@/db/client";
import { recordView } from "@/server/domain/audit/record-view";
import { staffOf } from "@/server/domain/deliveries/hand-over-task";
import { evidenceView } from "@/server/domain/operations/audit-views";
import { deliveryConsumers } from "@/server/domain/operations/delivery-consumers";
import { deliveryCounts } from "@/server/domain/operations/delivery-counts";
import { deliveryEvidence } from "@/server/domain/operations/delivery-evidence";
import { deliveryQueue } from "@/server/domain/operations/delivery-queue";
import { deliveryWork } from "@/server/domain/operations/delivery-work";
import { needsDecision } from "@/server/domain/operations/needs-decision";
import { withOffers } from "@/server/domain/operations/queue-actions";
import { groupsCursor, reasonGroups } from "@/server/domain/operations/reason-groups";
import {
  type OperationsScope,
  type QueueCursor,
  type QueueFilter,
  queueCursor,
  queueFilter,
  type RowKind,
  rowId,
} from "@/server/domain/operations/types";
import type { SignedInPerson } from "@/server/domain/scope/load-actor";
import { router, staffProcedure, type TrpcContext } from "../trpc";
import { deliveryActsRouter } from "./delivery-acts";

const pageSize = 50;
const groupsPageSize = 200;
const filtered = staffProcedure.input(z.object({ filter: queueFilter.prefault({}) }));

/** What STAFF read of deliveries: numbers, rows and evidence by reference. What they do about them stands in `acts`. */
export const deliveryRouter = router({
  acts: deliveryActsRouter,

  counts: staffProcedure.query(({ ctx: { db, actor, scope } }) =>
    withRead(db, actor, (tx) => deliveryCounts(tx, { ...scope, userId: actor.userId }), { byIndex: true }),
  ),

  /** For the badge of the navigation: only the number, so that it can be asked for beside any page. */
  needsDecision: staffProcedure.query(({ ctx: { db, actor, scope } }) => withRead(db, actor, (tx) => needsDecision(tx, scope))),

  consumers: staffProcedure.query(({ ctx: { db, actor, scope } }) =>
    withRead(db, actor, async (tx) => (await deliveryConsumers(tx, scope)).map(({ consumer }) => consumer)),
  ),

  queue: filtered
    .input(z.object({ cursor: queueCursor.nullish() }))
    .query(({ ctx, input }) => offeredPage(ctx, input.filter, input.cursor ?? null)),

  /** The first page again, beside the pages that a reader holds still. */
  head: filtered.query(({ ctx, input }) => offeredPage(ctx, input.filter, null)),

  /** Rows that stopped for one reason, counted exactly, the most frequent reason first. */
  groups: staffProcedure
    .input(z.object({ cursor: groupsCursor.nullish() }))
    .query(({ ctx: { db, actor, scope }, input }) =>
      withRead(db, actor, (tx) => reasonGroups(tx, scope, input.cursor ?? null, groupsPageSize)),
    ),

  /** To whom a task of a clinic can be handed over, by reference. */
  colleagues: staffProcedure.query(({ ctx: { db, actor, scope } }) =>
    withRead(db, actor, async (tx) => {
      const [clinicId] = scope.clinicIds;
      const staff = clinicId && scope.clinicIds.length === 1 ? await staffOf(tx, scope.tenantGroupId, clinicId) : [];
      return staff.filter(({ id }) => id !== actor.userId).map(({ ref }) => ref);
    }),
  ),

  /** Whoever looks at evidence is in the audit, once for each version of the row. */
  evidence: staffProcedure.input(z.object({ id: rowId })).query(async ({ ctx: { db, actor, scope }, input }) => {
    const [kind, id] = input.id.split(".") as [RowKind, string];
    const evidence = await withRead(db, actor, async (tx) => {
      const found = await deliveryEvidence(tx, scope, kind, id);
      return found && { ...found, work: await deliveryWork(tx, actor, kind, id, clinicIdOf(actor, found.scope.clinicRef), found.asOf) };
    });
    if (evidence) await recordView(db, actor, evidenceView(actor, evidence));
    return evidence;
  }),
});

type ReadContext = TrpcContext & { actor: SignedInPerson; scope: OperationsScope };

async function offeredPage({ db, actor, scope }: ReadContext, filter: QueueFilter, cursor: QueueCursor | null) {
  const wanted = { ...scope, userId: actor.userId };
  const page = await withRead(db, actor, (tx) => deliveryQueue(tx, wanted, filter, cursor, pageSize), { byIndex: true });
  return withOffers(page, actor, (ref) => clinicIdOf(actor, ref));
}

const clinicIdOf = (actor: SignedInPerson, ref: string): string => actor.clinicIds[actor.clinicRefs.indexOf(ref)] ?? "";
