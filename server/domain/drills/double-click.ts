import { AppError } from "@/server/app-error";
import { approveReplay } from "@/server/domain/replay/approve-replay";
import type { ReplayRequest } from "@/server/domain/replay/read-request";
import { runReplayOnce } from "@/server/domain/replay/run-replay-once";
import { newUuid } from "@/server/ids";
import type { DrillProgress } from "./drill-progress";
import { type DrillWorld, drillConsumer, drillLeaseMs } from "./drill-world";
import { effectsOf, seenByLiveWorkers } from "./questions";
import { drillBounds, drillOperator, drillReplayReason, previewAll, publishAndStop, replayDeps } from "./replay-steps";

const items = 3;
const calls = 4;

/** One approval is sent four times at once, and another window asks for the same records: one job, and each event is handled once. */
export async function doubleClick(world: DrillWorld, progress: DrillProgress<"double-click">): Promise<void> {
  const eventIds = await publishAndStop(world, progress, items);
  const request = await previewAll(world);
  const other = await previewAll(world, newUuid());
  const approvals = await progress.step("approveAtOnce", async () => {
    const all = await Promise.all(Array.from({ length: calls }, () => approve(world, request)));
    return { all, facts: { calls, changed: all.filter(({ repeated }) => !repeated).length } };
  });
  const refusal = await progress.step("askForSame", async () => {
    const error = await approve(world, other).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error !== undefined && !(error instanceof AppError)) throw error;
    return { error, facts: { answer: error?.code ?? "approved" } };
  });
  await progress.step("runJob", async () => {
    let ran = 0;
    await world.until(async () => {
      const run = await runReplayOnce(world.runtime("runner"), world.log, [drillConsumer()], world.control(), { leaseMs: drillLeaseMs });
      ran += run.ran;
      return run.claimed === 0;
    }, 30_000);
    return { facts: { ran } };
  });
  await progress.step("checkAll", async () => {
    const jobs = new Set(approvals.all.map(({ request: one }) => one.jobRef));
    const firstId = (refusal.error?.extra as { requestId?: string } | undefined)?.requestId;
    progress.check("approvedOnce", 1, approvals.all.filter(({ repeated }) => !repeated).length);
    progress.check("sameJobForAll", "1 job", `${jobs.size} job`);
    progress.check("secondRequestSentToFirst", `replay-already-open ${request.requestId}`, `${refusal.error?.code} ${firstId}`);
    progress.check("eachDoneOnce", Array(items).fill(1).join(" "), await effectsOf(world, eventIds));
    progress.check("outOfLiveCounts", "0 rows", await seenByLiveWorkers(world));
  });
}

const approve = (world: DrillWorld, { requestId, manifestDigest }: ReplayRequest) =>
  approveReplay(replayDeps(world), drillOperator(world), {
    clinicId: world.scope.clinicId,
    requestId,
    digest: manifestDigest,
    bounds: drillBounds,
    reason: drillReplayReason,
  });
