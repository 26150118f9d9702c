import { z } from "zod";
import { actOnRows, bulkAct, bulkRows } from "@/server/domain/deliveries/act-on-rows";
import { addNote } from "@/server/domain/deliveries/add-note";
import { assignTask } from "@/server/domain/deliveries/assign-task";
import { handOverTask } from "@/server/domain/deliveries/hand-over-task";
import { keepQuarantined } from "@/server/domain/deliveries/keep-quarantined";
import { releaseSequence } from "@/server/domain/deliveries/release-sequence";
import { retryPublish } from "@/server/domain/deliveries/retry-publish";
import { scheduleRetry } from "@/server/domain/deliveries/schedule-retry";
import { skipPublish } from "@/server/domain/deliveries/skip-publish";
import {
  type ActCall,
  handOver,
  type SeenRow,
  scheduleRetry as scheduleRetryInput,
  seenRow,
  words,
} from "@/server/domain/deliveries/types";
import type { SignedInPerson } from "@/server/domain/scope/load-actor";
import { depsOf, shown } from "../command-deps";
import { replayOperatorCommand, router, staffCommand, type TrpcContext } from "../trpc";

const onRow = z.object({ row: seenRow });
const withReason = onRow.extend({ change: z.object({ reason: words }) });

/** What STAFF do about deliveries of one clinic. Every act names the row and the versions it was decided on, and carries the key of the browser. */
export const deliveryActsRouter = router({
  assign: staffCommand.input(onRow).mutation(async ({ ctx, input }) => shown(await assignTask(depsOf(ctx), callOf(ctx, input)))),

  handOver: staffCommand
    .input(onRow.extend({ change: handOver }))
    .mutation(async ({ ctx, input }) => shown(await handOverTask(depsOf(ctx), callOf(ctx, input), input.change))),

  addNote: staffCommand
    .input(onRow.extend({ change: z.object({ text: words }) }))
    .mutation(async ({ ctx, input }) => shown(await addNote(depsOf(ctx), callOf(ctx, input), input.change.text))),

  scheduleRetry: staffCommand
    .input(onRow.extend({ change: scheduleRetryInput }))
    .mutation(async ({ ctx, input }) => shown(await scheduleRetry(depsOf(ctx), callOf(ctx, input), input.change))),

  keepQuarantined: staffCommand
    .input(withReason)
    .mutation(async ({ ctx, input }) => shown(await keepQuarantined(depsOf(ctx), callOf(ctx, input), input.change.reason))),

  /** Selected rows of one clinic; one answer for each. */
  onRows: staffCommand
    .input(z.object({ rows: bulkRows, change: bulkAct }))
    .mutation(({ ctx, input }) => actOnRows(depsOf(ctx), partOf(ctx, input.key), input.rows, input.change)),

  retryPublish: replayOperatorCommand
    .input(withReason)
    .mutation(async ({ ctx, input }) => shown(await retryPublish(depsOf(ctx), callOf(ctx, input), input.change.reason))),

  skipPublish: replayOperatorCommand
    .input(withReason)
    .mutation(async ({ ctx, input }) => shown(await skipPublish(depsOf(ctx), callOf(ctx, input), input.change.reason))),

  releaseSequence: replayOperatorCommand
    .input(withReason)
    .mutation(async ({ ctx, input }) => shown(await releaseSequence(depsOf(ctx), callOf(ctx, input), input.change.reason))),
});

type ActContext = TrpcContext & { actor: SignedInPerson; clinicId: string; sent: Record<string, unknown> };

const partOf = ({ actor, clinicId, requestId, sent }: ActContext, key: string): Omit<ActCall, "row"> => ({
  actor,
  clinicId,
  key,
  requestId,
  method: "MUTATION",
  body: sent.change ?? {},
});

const callOf = (ctx: ActContext, input: { key: string; row: SeenRow }): ActCall => ({ ...partOf(ctx, input.key), row: input.row });
