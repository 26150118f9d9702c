import type { DrillProgress } from "./drill-progress";
import type { DrillWorld } from "./drill-world";
import { applyRun, askForPlan, calculate, changeFact, makeClinic, written, writtenVisits } from "./planning-steps";
import { seenByLiveWorkers } from "./questions";

/** Two plans for the same visits are applied at the same moment: one is applied whole, the other refused whole, by the versions that it meets. */
export async function competingPlans(world: DrillWorld, progress: DrillProgress<"competing-plans">): Promise<void> {
  const clinic = await progress.step("makeClinic", async () => {
    const made = await makeClinic(world);
    await changeFact(world, made, 0, "08:00", "12:00");
    return { ...made, facts: { visits: made.visits.length } };
  });
  const runs = await progress.step("calculateTwo", async () => {
    const ids: string[] = [];
    for (const solver of ["solver-a", "solver-b"]) {
      ids.push(await askForPlan(world, clinic));
      await calculate(world, solver);
    }
    return { ids, facts: { plans: ids.length } };
  });
  const ends = await progress.step("applyAtOnce", async () => {
    const results = await Promise.all(runs.ids.map((runId) => applyRun(world, runId)));
    return {
      results,
      facts: {
        outcomes: results
          .map(({ outcome }) => outcome)
          .sort()
          .join(" "),
      },
    };
  });
  await progress.step("checkAll", async () => {
    const refused = ends.results.find(({ outcome }) => outcome !== "APPLIED");
    progress.check(
      "oneApplied",
      "APPLIED STALE_REJECTED",
      ends.results
        .map(({ outcome }) => outcome)
        .sort()
        .join(" "),
    );
    progress.check(
      "refusedAsStale",
      "VERSIONS, 3 compare-and-sets failed",
      `${refused?.staleKind}, ${refused?.casFailures} compare-and-sets failed`,
    );
    progress.check("movedOnce", written({ moved: 3 }), await writtenVisits(world));
    progress.check("outOfLiveCounts", "0 rows", await seenByLiveWorkers(world));
  });
}
