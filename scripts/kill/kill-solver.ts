import { closeDb, type Db, openDb } from "@/db/client";
import { changeStatus } from "@/server/domain/appointments/change-status";
import { applyPlan } from "@/server/domain/planning/apply-plan";
import { requestRun } from "@/server/domain/planning/request-run";
import type { PlanningWorld } from "@/server/domain/planning/testing";
import { bookAt, depsOf, farClinic } from "./far-clinic";
import { type Drill, type Harm, recoveryMaxMs, type Scenario } from "./scenario";
import { atPoint, plain } from "./supervised";
import { until } from "./until";

/** With a run in hand and nothing written of it: before the solve, and after it. */
const points = ["planning.afterSnapshot", "planning.afterSolve"];

/** kill -9 of a solver that calculates, at each point; the next one takes its run over when the lease has ended, and its plan counts once. */
async function killSolver(drill: Drill): Promise<Harm> {
  const { stand } = drill;
  const web = openDb(stand.urls.web, { max: 2, applicationName: "drill" });
  const solver = stand.add("planning-solver", {});
  try {
    const world = await farClinic(stand, web, 0);
    const faults: string[] = [];
    const recoveriesMs: number[] = [];
    for (const point of drill.isSample ? points.slice(0, 1) : points) {
      world.nextDay();
      const visits = [await waiting(world, web, "09:00", 0), await waiting(world, web, "10:00", 1)];
      const before = solver.unasked.length;
      solver.kill(atPoint(point, "SIGKILL"));
      const asked = await requestRun(depsOf(web), world.call(world.staff, world.range), world.range, "OPERATIONS");
      const runId = JSON.parse(asked.body).id as string;
      const died = await until(() => solver.unasked.length > before, recoveryMaxMs);
      const killedMs = Date.now();
      solver.startWith(plain); // else it would die again at the same point
      if (!died) faults.push(`nobody came to ${point}`);
      else solver.unasked.length = before;
      if ((await world.run(runId)).state !== "CALCULATING")
        faults.push(`killed at ${point}, and the run is ${(await world.run(runId)).state}`);
      if (!(await until(async () => (await world.run(runId)).state === "CALCULATED", recoveryMaxMs)))
        faults.push("no other solver took the run over");
      recoveriesMs.push(Date.now() - killedMs);
      const { status } = await applyPlan(depsOf(web), world.call(world.staff), runId);
      faults.push(...(await wrongWith(world, runId, visits.length)).map((what) => `${what} (${point}, apply ${status})`));
    }
    return { what: `${recoveriesMs.length} kills with a run in hand`, recoveriesMs, faults };
  } finally {
    await solver.end();
    await closeDb(web);
  }
}

/** A visit that was booked as any other and waits for a new time: the solver has something to place. */
async function waiting(world: PlanningWorld, web: Db, at: string, patient: number): Promise<string> {
  const appointmentId = await bookAt(world, web, at, patient);
  const change = { ...world.call(world.desk), appointmentId, expectedVersion: "1" };
  await changeStatus(depsOf(web), change, { to: "PENDING_RESCHEDULE", reasonCode: "OTHER" });
  return appointmentId;
}

/** One death, one take-over, one plan, and each of its visits moved once. */
async function wrongWith({ db }: PlanningWorld, runId: string, visits: number): Promise<string[]> {
  const [row] = await db.superuser.$client<{ found: string }[]>`
    select concat_ws(', ', r.state, 'fence ' || r.fence, r.calculations || ' calculations',
      (select count(*) from audit_entries e where e.subject_id = r.id and e.act = 'planning.taken-over') || ' taken over',
      (select count(*) from audit_entries e where e.subject_id = r.id and e.act = 'planning.calculated') || ' calculated',
      (select count(*) from planning_run_moves m join appointments a on a.id = m.appointment_id where m.run_id = r.id and a.version = 3) || ' moved',
      (select count(*) from appointment_history h where h.command_id = r.apply_command_id) || ' written') as found
    from planning_runs r where r.id = ${runId}`;
  const wanted = `APPLIED, fence 2, 2 calculations, 1 taken over, 1 calculated, ${visits} moved, ${visits} written`;
  return row?.found === wanted ? [] : [`${row?.found}; it should be ${wanted}`];
}

export const killSolverScenario: Scenario = { name: "kill -9 of planning-solver", log: "postgres", run: killSolver };
