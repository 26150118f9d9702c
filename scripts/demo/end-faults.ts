import { HAD_TO_BE_KILLED } from "@/scripts/lib/child";

/** What README promises of Ctrl-C. */
const endMaxMs = 10_000;

/**
 * What was wrong with an end of the demo, which is gone by now: a process that hung when it was asked to end is killed after 8.8 s, so that everything
 * is gone in time all the same, and only the line about it tells.
 * @param output all that the demo said
 * @param ms from the moment it was asked to the moment nothing of it was left
 */
export function endFaults(output: string, ms: number): string[] {
  const killed = output.split("\n").filter((line) => line.includes(HAD_TO_BE_KILLED));
  const late = ms > endMaxMs ? [`its end took ${(ms / 1000).toFixed(1)} s, and ${endMaxMs / 1000} s are promised`] : [];
  return [...killed.map((line) => line.trim()), ...late];
}
