import { z } from "zod";
import { withRead } from "@/db/client";
import { AppError } from "@/server/app-error";
import { approveReplay, approveReplaySecond } from "@/server/domain/replay/approve-replay";
import { controlReplay } from "@/server/domain/replay/control-replay";
import { exportReceipt } from "@/server/domain/replay/export-receipt";
import { previewReplay } from "@/server/domain/replay/preview-replay";
import { listReplayItems, listReplayJobs, readReplayJob, readReplayOfRow } from "@/server/domain/replay/read-jobs";
import type { ReplayRequest } from "@/server/domain/replay/read-request";
import { manifestDigest, replayBounds, replayReason, replayRequestId, replaySelection } from "@/server/domain/replay/types";
import { webEventLog } from "@/server/http/web-event-log";
import { replayOperatorProcedure, router, staffProcedure, type TrpcContext } from "../trpc";

const jobsShown = 20;
const itemsShown = 200;
/** A request id, RJ-… or MF-…. */
const jobName = z.string().min(1).max(40);
const requestInput = z.object({ requestId: replayRequestId });
const bound = requestInput.extend({ digest: manifestDigest });

const depsOf = async ({ db, env }: TrpcContext) => ({ db, ring: env.DIGEST_KEYS, eventLog: await webEventLog() });

/** What an act answers: where the request stands. The job itself is read by `job`. */
const standing = ({ request, repeated }: { request: ReplayRequest; repeated: boolean }) => ({
  requestId: request.requestId,
  jobRef: request.jobRef,
  state: request.state,
  wanted: request.wanted,
  needsSecond: request.needsSecond,
  repeated,
});

/**
 * Replay: the acts are an operator's, their identity is the request id that the client made before its first send, so each may be sent again. Who is STAFF
 * reads jobs and receipts.
 */
export const replayRouter = router({
  preview: replayOperatorProcedure.input(requestInput.extend({ selection: replaySelection })).mutation(async ({ ctx, input }) => {
    const { clinicId, actor } = ctx;
    const preview = await previewReplay(await depsOf(ctx), actor, { clinicId, requestId: input.requestId, selection: input.selection });
    if (!preview.request) return { ...preview, request: null };
    const { tenantGroupId: _, approverId: __, secondApproverId: ___, selectionDigest: ____, ...request } = preview.request;
    return { ...preview, request };
  }),

  approve: replayOperatorProcedure
    .input(bound.extend({ bounds: replayBounds, reason: replayReason }))
    .mutation(async ({ ctx, input: { requestId, digest, bounds, reason } }) =>
      standing(await approveReplay(ctx, ctx.actor, { clinicId: ctx.clinicId, requestId, digest, bounds, reason })),
    ),

  approveSecond: replayOperatorProcedure
    .input(bound)
    .mutation(async ({ ctx, input: { requestId, digest } }) =>
      standing(await approveReplaySecond(ctx, ctx.actor, { clinicId: ctx.clinicId, requestId, digest })),
    ),

  pause: control("PAUSE"),
  resume: control("RESUME"),
  cancel: control("CANCEL"),

  jobs: staffProcedure.query(({ ctx: { db, actor, scope } }) => withRead(db, actor, (tx) => listReplayJobs(tx, scope, jobsShown))),

  job: staffProcedure
    .input(z.object({ job: jobName }))
    .query(({ ctx: { db, actor, scope }, input }) => withRead(db, actor, (tx) => readReplayJob(tx, scope, input.job))),

  /** The latest replay of one row, for its evidence. */
  ofRow: staffProcedure
    .input(z.object({ inboxId: z.uuid() }))
    .query(({ ctx: { db, actor, scope }, input }) => withRead(db, actor, (tx) => readReplayOfRow(tx, scope, input.inboxId))),

  receipt: staffProcedure
    .input(z.object({ job: jobName, after: z.number().int().min(0).default(0) }))
    .query(({ ctx: { db, actor, scope }, input }) =>
      withRead(db, actor, async (tx) => {
        const job = await readReplayJob(tx, scope, input.job);
        if (!job) throw new AppError("not-found");
        return { job, items: await listReplayItems(tx, job.requestId, input.after, itemsShown) };
      }),
    ),

  export: staffProcedure
    .input(z.object({ job: jobName }))
    .mutation(({ ctx: { db, actor, scope }, input }) => exportReceipt(db, actor, scope, input.job)),
});

function control(act: "PAUSE" | "RESUME" | "CANCEL") {
  return replayOperatorProcedure
    .input(requestInput)
    .mutation(async ({ ctx, input: { requestId } }) =>
      standing(await controlReplay(ctx, ctx.actor, { clinicId: ctx.clinicId, requestId, act })),
    );
}
