import { withTx } from "@/db/client";
import type { DrillProgress } from "./drill-progress";
import type { DrillWorld } from "./drill-world";
import {
  addAbsence,
  applyRun,
  askForPlan,
  calculate,
  changeFact,
  type DrillClinic,
  makeClinic,
  written,
  writtenVisits,
} from "./planning-steps";
import { seenByLiveWorkers } from "./questions";

/** A plan is applied while a fact has been written and not committed: the apply waits for the writer, sees the fact, and is refused. */
export async function factWriterInFlight(world: DrillWorld, progress: DrillProgress<"fact-writer-in-flight">): Promise<void> {
  const clinic = await progress.step("makeClinic", async () => {
    const made = await makeClinic(world);
    await changeFact(world, made, 0, "08:00", "12:00");
    return { ...made, facts: { visits: made.visits.length } };
  });
  const { runId } = await progress.step("calculate", async () => {
    const id = await askForPlan(world, clinic);
    return { runId: id, facts: { state: await calculate(world, "solver-a") } };
  });
  const writer = await progress.step("holdFact", async () => openWriter(world, clinic));
  const applying = await progress.step("applyMeanwhile", async () => {
    const end = applyRun(world, runId);
    end.catch(() => {}); // awaited below
    await world.until(() => isWaitedFor(world, writer.pid), 10_000);
    return { end, facts: { waits: 1 } };
  });
  const result = await progress.step("commitFact", async () => {
    writer.commit();
    await writer.done;
    const end = await applying.end;
    return { ...end, facts: { outcome: end.outcome, runs: end.runs } };
  });
  await progress.step("checkAll", async () => {
    progress.check("factSeen", "STALE_REJECTED FACTS after 2 runs", `${result.outcome} ${result.staleKind} after ${result.runs} runs`);
    progress.check("nothingWritten", written({ moved: 0 }), await writtenVisits(world));
    progress.check("outOfLiveCounts", "0 rows", await seenByLiveWorkers(world));
  });
}

/** A transaction that has written a fact and is kept open, on a pool of its own. */
async function openWriter(world: DrillWorld, clinic: DrillClinic) {
  let commit: () => void = () => {};
  const isAllowed = new Promise<void>((resolve) => {
    commit = resolve;
  });
  let ready: (pid: number) => void = () => {};
  const isReady = new Promise<number>((resolve) => {
    ready = resolve;
  });
  const actor = { worker: world.deps.worker, tenantGroupId: world.scope.tenantGroupId };
  const done = withTx(
    world.openDb(),
    actor,
    async (tx) => {
      await addAbsence(tx, world, clinic, 1, "14:00", "15:00");
      const [row] = await tx.sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
      ready(row?.pid ?? 0);
      await isAllowed; // what the drill is about: somebody who is slow to commit
    },
    { idleTimeoutMs: 15_000, deadlineMs: 20_000 },
  );
  return { pid: await Promise.race([isReady, done.then(() => 0)]), commit, done, facts: { uncommitted: 1 } };
}

const isWaitedFor = (world: DrillWorld, pid: number): Promise<boolean> =>
  world.read(async (tx) => {
    const [row] = await tx.sql<{ waits: boolean }[]>`
      select exists (select from pg_locks l where not l.granted and ${pid}::int4 = any (pg_blocking_pids(l.pid))) as waits`;
    return row?.waits ?? false;
  });
