import { type Tx, withSavepoint } from "@/db/client";
import { databaseError } from "@/db/tx-error";
import { type MoveCall, moveVisits } from "@/server/domain/appointments/move-visits";
import { testPoint } from "@/server/test-points";
import type { HeldScope } from "./held-scope";
import { planningLimits } from "./limits";
import { type LoadedMove, loadMoves, lockResources, lockSources, type SourceRow, seeSources } from "./lock-sources";
import { placeVisit } from "./place-visit";
import type { PlanningRun } from "./read-run";
import { loadSnapshot } from "./snapshot/load-snapshot";
import { planningFactVersion } from "./snapshot/planning-fact-version";
import { type FactGroup, factGroups, type PlanningSnapshot } from "./snapshot/types";
import type { ApplyResult, ApplyStep, Compared, SourceBehind, StaleKind } from "./types";

/** How one run of the transaction ended, with everything that it compared. */
export type Verdict = Omit<ApplyResult, "runId" | "runRef" | "attempt" | "sqlstate" | "runs" | "durationMs"> & {
  outcome: "APPLIED" | "STALE_REJECTED";
  scopeFactVersion: string | null;
};
export type ApplyClock = () => number;

/**
 * The fence. The caller's transaction is SERIALIZABLE and its first query has locked the planning scope (`held` says both), so the facts that are loaded here are those that
 * every fact writer has left, and stay so until this transaction ends. In this order: facts once, and their digest against the plan's; resources, then
 * every row that the plan rests on, locked in the order of their ids; each version against the expected one; all moves by compare-and-set in one
 * statement. All or nothing: a verdict of STALE_REJECTED has written no visit.
 */
export async function applyInTx(tx: Tx, held: HeldScope, run: PlanningRun, call: MoveCall, clock: ApplyClock): Promise<Verdict> {
  if (held.clinicId !== run.clinicId) throw new Error("the planning scope of another clinic is held");
  const attempt = new Attempt(clock);
  const scope = { tenantGroupId: run.tenantGroupId };
  const { clinicId, fromDate, untilDate } = run;
  const snapshot = await attempt.timed("facts", () => loadSnapshot(tx, scope, { clinicId, fromDate, untilDate }));
  if (!snapshot) throw new Error("a locked planning scope without its clinic");
  await testPoint("planning.factsLoaded", run);
  attempt.compareFacts(run, snapshot);
  if (attempt.factsDiffer) {
    attempt.compareSources(await seeSources(tx, run.id));
    return attempt.stale("FACTS");
  }
  const moves = await loadMoves(tx, run.id);
  const placed = moves.map((move) => ({ move, placement: placeVisit(snapshot.facts, move, move.to) }));
  await attempt.reach("ROWS", "rows", async () => {
    await lockResources(tx, [...new Set(placed.flatMap(({ placement }) => placement.claims.map(({ resourceId }) => resourceId)))]);
    await testPoint("planning.resourcesLocked", run);
    attempt.compareSources(await lockSources(tx, run.id));
  });
  await testPoint("planning.rowsLocked", { run, tx });
  if (attempt.isBehind) return attempt.stale("VERSIONS", "CAS");
  if (placed.some(({ placement }) => Date.parse(placement.startsAt) <= Date.parse(snapshot.facts.asOf)))
    return attempt.stale("TIME", "CAS");
  const end = await attempt.reach("WRITE", "write", () => writeMoves(tx, call, snapshot, placed));
  await testPoint("planning.movesWritten", { run, tx });
  return end.end === "WRITTEN" ? attempt.applied(moves.length) : attempt.refused(end);
}

type Placed = { move: LoadedMove; placement: ReturnType<typeof placeVisit> };
type Written = { end: "WRITTEN" } | { end: "CAS"; failures: number } | { end: "CAPACITY"; capacity: NonNullable<ApplyResult["capacity"]> };

class CasFailed extends Error {
  readonly name = "CasFailed";
  constructor(readonly failures: number) {
    super("a compare-and-set met another version");
  }
}

/** In a savepoint: what was written before the database refused, or before a version did not fit, is undone. */
async function writeMoves(tx: Tx, call: MoveCall, { facts }: PlanningSnapshot, placed: Placed[]): Promise<Written> {
  try {
    await withSavepoint(tx, async (sp) => {
      const moved = await moveVisits(
        sp,
        call,
        placed.map(({ move, placement }) => ({ visit: move, placement })),
      );
      if (moved !== placed.length) throw new CasFailed(placed.length - moved);
    });
    return { end: "WRITTEN" };
  } catch (error) {
    if (error instanceof CasFailed) return { end: "CAS", failures: error.failures };
    const found = databaseError(error);
    if (found?.constraint !== "claims_within_seats") throw error;
    return { end: "CAPACITY", capacity: resourceNamed(facts, found.detail ?? "") };
  }
}

/** Who or what is taken by now; a patient by no reference. */
function resourceNamed(
  { doctors, equipment, clinic }: PlanningSnapshot["facts"],
  resourceId: string,
): NonNullable<ApplyResult["capacity"]> {
  const doctor = doctors.find((one) => one.resourceId === resourceId);
  if (doctor) return { resourceId, ref: doctor.ref, kind: "DOCTOR" };
  const device = equipment.find((one) => one.resourceId === resourceId);
  if (device) return { resourceId, ref: device.ref, kind: "EQUIPMENT" };
  if (clinic.resource?.id === resourceId) return { resourceId, ref: clinic.ref, kind: "CLINIC" };
  return { resourceId, ref: null, kind: "PATIENT" };
}

/** What one run of the transaction has compared so far. */
class Attempt {
  factsDiffer = false;
  private reached: ApplyStep = "FACTS";
  private compared: Pick<Verdict, "factVersion" | "factGroups" | "scopeFactVersion"> = {
    factVersion: null,
    factGroups: null,
    scopeFactVersion: null,
  };
  private sources: Pick<Verdict, "sourcesCompared" | "sourcesBehind" | "behind"> = {
    sourcesCompared: null,
    sourcesBehind: null,
    behind: [],
  };
  private readonly stepMs: Verdict["stepMs"] = {};

  constructor(private readonly clock: ApplyClock) {}

  get isBehind(): boolean {
    return (this.sources.sourcesBehind ?? 0) > 0;
  }

  async timed<T>(step: keyof Verdict["stepMs"], work: () => Promise<T>): Promise<T> {
    const startedMs = this.clock();
    try {
      return await work();
    } finally {
      this.stepMs[step] = Math.round((this.clock() - startedMs) * 10) / 10;
    }
  }

  reach<T>(reached: ApplyStep, step: keyof Verdict["stepMs"], work: () => Promise<T>): Promise<T> {
    this.reached = reached;
    return this.timed(step, work);
  }

  compareFacts({ factVersion, factGroups: expectedGroups }: PlanningRun, snapshot: PlanningSnapshot): void {
    if (!factVersion || !expectedGroups) throw new Error("a plan without the version of its facts");
    const found = planningFactVersion(snapshot);
    this.factsDiffer = found.version !== factVersion;
    this.compared = {
      factVersion: { expected: factVersion, found: found.version },
      factGroups: Object.fromEntries(
        factGroups.map((group) => [group, { expected: expectedGroups[group], found: found.groups[group] }]),
      ) as Record<FactGroup, Compared<string>>,
      scopeFactVersion: snapshot.facts.clinic.factVersion,
    };
  }

  compareSources(rows: SourceRow[]): void {
    const behind = rows.filter((row) => !row.isAsExpected);
    this.sources = {
      sourcesCompared: rows.length,
      sourcesBehind: behind.length,
      behind: behind
        .sort((a, b) => (a.kind === b.kind ? (a.ref < b.ref ? -1 : 1) : a.kind === "VERSION" ? -1 : 1))
        .slice(0, planningLimits.behindMax)
        .map(({ ref, kind, expected, found }): SourceBehind => ({ ref, kind, from: expected, to: found })),
    };
  }

  stale(staleKind: StaleKind, reached = this.reached, more: Partial<Verdict> = {}): Verdict {
    const casFailures = staleKind === "VERSIONS" ? (this.sources.sourcesBehind ?? 0) : 0;
    return { ...this.soFar(), outcome: "STALE_REJECTED", staleKind, reached, casFailures, ...more };
  }

  refused(end: Exclude<Written, { end: "WRITTEN" }>): Verdict {
    if (end.end === "CAS") return this.stale("VERSIONS", "WRITE", { casFailures: end.failures });
    return this.stale("CAPACITY", "WRITE", { capacity: end.capacity });
  }

  applied(written: number): Verdict {
    return { ...this.soFar(), outcome: "APPLIED", reached: "DONE", written };
  }

  private soFar(): Verdict {
    return {
      ...this.compared,
      ...this.sources,
      outcome: "APPLIED",
      reached: this.reached,
      staleKind: null,
      casFailures: 0,
      capacity: null,
      written: 0,
      stepMs: this.stepMs,
    };
  }
}
