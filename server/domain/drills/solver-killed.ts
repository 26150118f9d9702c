import { closeDb } from "@/db/client";
import type { DrillProgress } from "./drill-progress";
import { type DrillWorld, drillLeaseMs } from "./drill-world";
import { applyRun, askForPlan, calculate, changeFact, makeClinic, written, writtenVisits } from "./planning-steps";
import { seenByLiveWorkers } from "./questions";

/** A solver loses its database in the middle of a calculation and never comes back; another one takes the run over and its plan is the only one. */
export async function solverKilled(world: DrillWorld, progress: DrillProgress<"solver-killed">): Promise<void> {
  const clinic = await progress.step("makeClinic", async () => {
    const made = await makeClinic(world);
    await changeFact(world, made, 0, "08:00", "12:00");
    return { ...made, facts: { visits: made.visits.length } };
  });
  const runId = await askForPlan(world, clinic);
  await progress.step("killSolver", async () => {
    const pool = world.openDb();
    const dies = async () => {
      await closeDb(pool, 0);
      throw new Error("killed");
    };
    await calculate(world, "solver-a", { db: pool, solve: dies }).catch(() => {});
    return { facts: { state: (await stateOf(world, runId)).state } };
  });
  await progress.step("holdPastLease", () => world.wait(drillLeaseMs));
  await progress.step("takeOver", async () => {
    await world.until(async () => (await calculate(world, "solver-b")) === "CALCULATED", 30_000);
    return { facts: { state: (await stateOf(world, runId)).state } };
  });
  await progress.step("apply", async () => ({ facts: { outcome: (await applyRun(world, runId)).outcome } }));
  await progress.step("checkAll", async () => {
    const end = await stateOf(world, runId);
    progress.check("calculatedOnce", "APPLIED, fence 2, 3 moves", `${end.state}, fence ${end.fence}, ${end.moves} moves`);
    progress.check("takeOverAudited", "started, taken over, calculated", end.acts);
    progress.check("movedOnce", written({ moved: 3 }), await writtenVisits(world));
    progress.check("outOfLiveCounts", "0 rows", await seenByLiveWorkers(world));
  });
}

async function stateOf(world: DrillWorld, runId: string) {
  return world.read(async (tx) => {
    const [row] = await tx.sql`
      select state, fence, (select count(*)::int4 from planning_run_moves where run_id = ${runId}) as moves,
        (select string_agg(case act when 'planning.started' then 'started' when 'planning.taken-over' then 'taken over' else 'calculated' end, ', ' order by at, id)
         from audit_entries where subject_id = ${runId} and act in ('planning.started', 'planning.taken-over', 'planning.calculated')) as acts
      from planning_runs where id = ${runId}`;
    if (!row) throw new Error("the drill's run is gone");
    return row as { state: string; fence: string; moves: number; acts: string };
  });
}
