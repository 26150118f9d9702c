import { drillEntry } from "@/server/domain/drills/catalog";
import type { FinishedRun } from "@/server/domain/drills/record-run";

const s = (ms: number | null) => `${((ms ?? 0) / 1000).toFixed(1)} s`;
/** stoppedAtLimit → stopped at limit */
const words = (code: string) => code.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
const factsOf = (facts: Record<string, string | number>) =>
  Object.entries(facts)
    .map(([name, value]) => `${words(name)} ${value}`)
    .join(", ");

/** One line for a drill; its steps and what was checked as well, when they are asked for or it did not pass. */
export function printRun(run: FinishedRun & { ref: string }, withSteps: boolean): void {
  const { drill, reason, durationMs, steps, invariants } = run;
  const holding = invariants.filter(({ holds }) => holds).length;
  const all = drillEntry(drill).invariants.length;
  if (withSteps || reason) {
    for (const step of steps)
      console.log(`     ${step.state === "DONE" ? "·" : "!"} ${words(step.code)} (${s(step.durationMs)}) ${factsOf(step.facts)}`);
    for (const { code, holds, expected, found } of invariants)
      console.log(`     ${holds ? "ok  " : "FAIL"} ${words(code)}: ${holds ? found : `${found}, and not ${expected}`}`);
  }
  console.log(
    `${reason ? "FAIL" : "ok  "} ${drill.padEnd(16)} ${holding} of ${all} invariants hold; ${s(durationMs)}; ${run.ref}${reason ? `; ${reason}` : ""}; docs/runbook/${drill}.md`,
  );
}
