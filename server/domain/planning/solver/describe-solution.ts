import { checkPlan } from "./check-plan";
import { levelsOf } from "./levels";
import type { Plan, Problem, Solution } from "./types";

/** Moves whenever a change of the engines may change a plan: the same problem, options and versions give the same plan. */
const solverVersion = "2";

export type Findings = Pick<Solution, "bound" | "unassignedBound" | "provenBy" | "endedBy" | "reproducible" | "phases"> & {
  highs: string | null;
};

/**
 * Everything that is said about a plan, once the checker has found no fault with it.
 * @throws Error when it has: nobody gets to see such a plan
 */
export function describeSolution(problem: Problem, plan: Plan, findings: Findings): Solution {
  const { highs, ...found } = findings;
  const { faults, cost } = checkPlan(problem, plan);
  if (faults.length > 0 || cost < found.bound)
    throw new Error(`the checker refuses the plan: ${faults.join("; ") || "it costs less than its bound"}`);
  const unassigned = problem.visits.flatMap(({ id, treatment, stay }, visit) => {
    const hasStarts = stay !== null || problem.treatments[treatment]?.starts.some((starts) => starts.length > 0);
    return plan[visit] ? [] : [{ id, why: hasStarts ? ("NO_ROOM" as const) : ("NO_PLACE" as const) }];
  });
  return {
    ...found,
    plan,
    cost,
    levels: levelsOf(problem, plan),
    unassignedBound: Math.min(found.provenBy ? unassigned.length : found.unassignedBound, unassigned.length),
    gap: cost - found.bound,
    proven: found.provenBy !== null,
    feasible: unassigned.length === 0,
    unassigned,
    pinnedViolations: problem.pinnedViolations,
    engine: { solver: solverVersion, highs },
  };
}
