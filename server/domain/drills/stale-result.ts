import type { DrillProgress } from "./drill-progress";
import type { DrillWorld } from "./drill-world";
import { applyRun, askForPlan, calculate, changeFact, makeClinic, written, writtenVisits } from "./planning-steps";
import { seenByLiveWorkers } from "./questions";

/** A fact changes between calculation and apply: the plan is refused and writes nothing; the next one, calculated from the new facts, is applied. */
export async function staleResult(world: DrillWorld, progress: DrillProgress<"stale-result">): Promise<void> {
  const clinic = await progress.step("makeClinic", async () => {
    const made = await makeClinic(world);
    await changeFact(world, made, 0, "08:00", "12:00");
    return { ...made, facts: { visits: made.visits.length } };
  });
  const first = await progress.step("calculate", async () => {
    const runId = await askForPlan(world, clinic);
    return { runId, facts: { state: await calculate(world, "solver-a") } };
  });
  await progress.step("changeFact", async () => {
    await changeFact(world, clinic, 1, "14:00", "15:00");
    return { facts: { absences: 1 } };
  });
  const refused = await progress.step("apply", async () => {
    const result = await applyRun(world, first.runId);
    return { result, afterwards: await writtenVisits(world), facts: { outcome: result.outcome, stale: result.staleKind ?? "no" } };
  });
  const applied = await progress.step("recalculate", async () => {
    const runId = await askForPlan(world, clinic);
    await calculate(world, "solver-a");
    const result = await applyRun(world, runId);
    return { result, facts: { outcome: result.outcome, moved: result.written } };
  });
  await progress.step("checkAll", async () => {
    const groups = Object.entries(refused.result.factGroups ?? {}).filter(([, pair]) => pair.expected !== pair.found);
    progress.check(
      "refusedAsStale",
      "STALE_REJECTED FACTS doctors",
      `${refused.result.outcome} ${refused.result.staleKind} ${groups.map(([name]) => name).join(" ")}`,
    );
    progress.check("nothingWritten", written({ moved: 0 }), refused.afterwards);
    progress.check("recalculationApplied", `APPLIED ${written({ moved: 3 })}`, `${applied.result.outcome} ${await writtenVisits(world)}`);
    progress.check("outOfLiveCounts", "0 rows", await seenByLiveWorkers(world));
  });
}
