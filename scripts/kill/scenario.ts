import type { Load } from "./load";
import type { Stand } from "./stand";

export type Scenario = {
  name: string;
  log: "postgres" | "kafka";
  /**
   * Does harm while the load goes on. What all scenarios must end with (nothing lost, no second effect, order, invariants) is checked by the runner.
   * @returns how long each recovery took, what is worth a word, and what was wrong
   */
  run(drill: Drill): Promise<Harm>;
};

export type Drill = {
  stand: Stand;
  load: Load;
  /** Short, for CI. */
  isSample: boolean;
  /** Resolves with the milliseconds from `sinceMs` until a new booking was acknowledged and everything up to then had gone all the way. */
  recovery(sinceMs?: number): Promise<number>;
};

export type Harm = { what: string; recoveriesMs: number[]; faults?: string[] };

/** What takes longer counts as never: a bound for what hangs, far above what a busy machine needs. */
export const recoveryMaxMs = 240_000;
