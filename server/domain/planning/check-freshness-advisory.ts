import { type Db, withRead } from "@/db/client";
import { AppError } from "@/server/app-error";
import type { Actor } from "@/server/domain/scope/actor";
import { planningLimits } from "./limits";
import { seeSources } from "./lock-sources";
import { readRun } from "./read-run";
import { loadSnapshot } from "./snapshot/load-snapshot";
import { planningFactVersion } from "./snapshot/planning-fact-version";
import type { PlanningFactVersion } from "./snapshot/types";
import type { SourceBehind } from "./types";

/** Both versions side by side, and the rows that are behind: a signpost. What an apply may do is decided by its fence alone, at its own moment. */
export type Freshness = {
  asOf: string;
  /** Null: the run is not calculated. */
  calculated: PlanningFactVersion | null;
  current: PlanningFactVersion;
  factsEqual: boolean | null;
  sources: number;
  sourcesBehind: number;
  behind: SourceBehind[];
};

/** READ ONLY, locks nothing, permits nothing. Throws AppError not-found. */
export function checkFreshnessAdvisory(db: Db, actor: Actor, clinicId: string, runId: string): Promise<Freshness> {
  return withRead(
    db,
    actor,
    async (tx) => {
      const run = await readRun(tx, clinicId, runId);
      if (!run) throw new AppError("not-found");
      const { fromDate, untilDate, factVersion, factGroups } = run;
      const snapshot = await loadSnapshot(tx, actor, { clinicId, fromDate, untilDate });
      if (!snapshot) throw new AppError("not-found");
      const sources = await seeSources(tx, run.id);
      const behind = sources.filter((row) => !row.isAsExpected);
      const current = planningFactVersion(snapshot);
      return {
        asOf: snapshot.facts.asOf,
        calculated: factVersion && factGroups ? { version: factVersion, groups: factGroups } : null,
        current,
        factsEqual: factVersion === null ? null : factVersion === current.version,
        sources: sources.length,
        sourcesBehind: behind.length,
        behind: behind
          .slice(0, planningLimits.behindMax)
          .map(({ ref, kind, expected, found }) => ({ ref, kind, from: expected, to: found })),
      };
    },
    { isolation: "repeatable read" },
  );
}
