import { z } from "zod";
import { withRead } from "@/db/client";
import { applyPlan } from "@/server/domain/planning/apply-plan";
import { checkFreshnessAdvisory } from "@/server/domain/planning/check-freshness-advisory";
import { cancelRun, discardRun, recalculateRun, requestPart } from "@/server/domain/planning/decide-run";
import { askingRole, requestRun } from "@/server/domain/planning/request-run";
import { type PlanningCall, planPart, planRequest, type RequestedFrom } from "@/server/domain/planning/types";
import { watchRun } from "@/server/domain/planning/watch-run";
import { hasRole } from "@/server/domain/scope/actor";
import type { SignedInPerson } from "@/server/domain/scope/load-actor";
import { depsOf, shown } from "../command-deps";
import { clinicCommand, clinicProcedure, router, staffCommand, type TrpcContext } from "../trpc";

const onRun = z.object({ runId: z.uuid() });

/**
 * Plans of one clinic: who is at its desk may ask for one, watch it and stop it; STAFF decide about it. Applying goes through apply-plan, from here as from
 * everywhere. The queue and its evidence are read by planningViews.
 */
export const planningRouter = router({
  request: clinicCommand
    .input(z.object({ change: planRequest }))
    .mutation(async ({ ctx, input }) => shown(await requestRun(depsOf(ctx), callOf(ctx, input.key), input.change, fromOf(ctx)))),

  watch: clinicProcedure
    .input(onRun)
    .query(({ ctx: { db, actor, clinicId }, input }) => withRead(db, actor, (tx) => watchRun(tx, actor, clinicId, input.runId))),

  cancel: clinicCommand
    .input(onRun)
    .mutation(async ({ ctx, input }) => shown(await cancelRun(depsOf(ctx), callOf(ctx, input.key), input.runId))),

  /** Both versions side by side: a signpost, never a permission. */
  freshness: clinicProcedure.input(onRun).query(({ ctx: { db, actor, clinicId }, input }) => {
    askingRole(actor, clinicId);
    return checkFreshnessAdvisory(db, actor, clinicId, input.runId);
  }),

  /** `apply` is a word that tRPC keeps for itself. */
  applyPlan: staffCommand
    .input(onRun)
    .mutation(async ({ ctx, input }) => shown(await applyPlan(depsOf(ctx), callOf(ctx, input.key), input.runId))),

  applyPart: staffCommand
    .input(onRun.extend({ change: planPart }))
    .mutation(async ({ ctx, input }) =>
      shown(await requestPart(depsOf(ctx), callOf(ctx, input.key), input.runId, input.change, "OPERATIONS")),
    ),

  discard: staffCommand
    .input(onRun)
    .mutation(async ({ ctx, input }) => shown(await discardRun(depsOf(ctx), callOf(ctx, input.key), input.runId))),

  recalculate: staffCommand
    .input(onRun)
    .mutation(async ({ ctx, input }) => shown(await recalculateRun(depsOf(ctx), callOf(ctx, input.key), input.runId, "OPERATIONS"))),
});

type ActContext = TrpcContext & { actor: SignedInPerson; clinicId: string; sent: Record<string, unknown> };

const fromOf = ({ actor, clinicId }: ActContext): RequestedFrom => (hasRole(actor, "FRONT_DESK", clinicId) ? "DESK" : "OPERATIONS");

const callOf = ({ actor, clinicId, requestId, traceparent, sent }: ActContext, key: string): PlanningCall => ({
  actor,
  clinicId,
  key,
  requestId,
  traceparent,
  method: "MUTATION",
  body: sent.change ?? {},
});
