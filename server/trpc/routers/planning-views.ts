import { z } from "zod";
import { withRead } from "@/db/client";
import { recordView } from "@/server/domain/audit/record-view";
import { planningView } from "@/server/domain/operations/audit-views";
import { planningCounts, planningNeedsDecision } from "@/server/domain/operations/planning-counts";
import { runEvidence } from "@/server/domain/operations/planning-evidence";
import { runMoves } from "@/server/domain/operations/planning-moves";
import { notificationEvidence } from "@/server/domain/operations/planning-notification";
import { offeredPage, offeredRun, planningQueue } from "@/server/domain/operations/planning-queue";
import {
  type PlanningCursor,
  type PlanningEvidence,
  type PlanningFilter,
  planningCursor,
  planningFilter,
  planningRowId,
} from "@/server/domain/operations/planning-types";
import type { OperationsScope } from "@/server/domain/operations/types";
import type { SignedInPerson } from "@/server/domain/scope/load-actor";
import { router, staffProcedure, type TrpcContext } from "../trpc";

const pageSize = 50;
const movesSize = 100;
const filtered = staffProcedure.input(z.object({ filter: planningFilter.prefault({}) }));
const one = staffProcedure.input(z.object({ id: planningRowId }));

/** What STAFF read of plans: numbers, rows, evidence and moves by reference. What they do about them is in the router `planning`. */
export const planningViewsRouter = router({
  counts: staffProcedure.query(({ ctx: { db, actor, scope } }) => withRead(db, actor, (tx) => planningCounts(tx, scope))),

  /** For the badge of the navigation: only the number. */
  needsDecision: staffProcedure.query(({ ctx: { db, actor, scope } }) => withRead(db, actor, (tx) => planningNeedsDecision(tx, scope))),

  queue: filtered
    .input(z.object({ cursor: planningCursor.nullish() }))
    .query(({ ctx, input }) => page(ctx, input.filter, input.cursor ?? null)),

  /** The first page again, beside the pages that a reader holds still. */
  head: filtered.query(({ ctx, input }) => page(ctx, input.filter, null)),

  /** null: not in the reader's clinics, or no longer in review. Whoever looks at a run is in the audit, once for each version of it. */
  evidence: one.query(async ({ ctx: { db, actor, scope }, input }): Promise<PlanningEvidence | null> => {
    const [kind, id] = input.id.split(".") as ["run" | "notification", string];
    const evidence = await withRead(db, actor, async (tx): Promise<PlanningEvidence | null> => {
      if (kind === "notification") return notificationEvidence(tx, scope, id);
      const run = await runEvidence(tx, scope, id);
      return run && { ...run, actions: offeredRun(run.row, actor).actions };
    });
    if (evidence) await recordView(db, actor, planningView(evidence));
    return evidence;
  }),

  /** Before and after of a run's visits; null: not in the reader's clinics. */
  moves: one
    .input(z.object({ cursor: z.number().int().min(0).nullish() }))
    .query(({ ctx: { db, actor, scope }, input }) =>
      withRead(db, actor, (tx) => runMoves(tx, scope, input.id.split(".")[1] ?? "", input.cursor ?? -1, movesSize)),
    ),
});

type ReadContext = TrpcContext & { actor: SignedInPerson; scope: OperationsScope };

async function page({ db, actor, scope }: ReadContext, filter: PlanningFilter, cursor: PlanningCursor | null) {
  return offeredPage(await withRead(db, actor, (tx) => planningQueue(tx, scope, filter, cursor, pageSize)), actor);
}
