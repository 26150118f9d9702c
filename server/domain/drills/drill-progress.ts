import type { Clock } from "@/server/clock";
import { type DrillName, drillEntry, type InvariantCode, type StepCode } from "./catalog";
import type { DrillReason, Facts, InvariantRecord, StepRecord } from "./types";

/** A run that somebody ended, or that another runner has by now: nothing more is done in it. */
export class DrillEnded extends Error {
  readonly name = "DrillEnded";
  constructor(readonly why: "STOPPED_BY_STAFF" | "FENCED" | "PROCESS_ENDS") {
    super(why);
  }
}

/** What a part that several drills share needs of theirs. */
export type Steps<C extends string> = { step<T>(code: C, work: () => Promise<T>): Promise<T> };

/**
 * What a drill has done so far. `onChange` is told at every step and, while one waits, about once a second: there the run is stored, its lease renewed, and
 * a wish to stop seen.
 */
export class DrillProgress<N extends DrillName = DrillName> {
  readonly steps: StepRecord[] = [];
  readonly invariants: InvariantRecord[] = [];

  constructor(
    readonly drill: N,
    private readonly clock: Clock,
    private readonly onChange: (progress: DrillProgress<N>) => Promise<void> | void,
  ) {}

  /** Takes one step of the catalogue. Answers what `work` answers; its `facts` stay with the run. */
  async step<T>(code: StepCode<N>, work: () => Promise<T>): Promise<T> {
    const startedMs = this.clock.monotonicMs();
    const record: StepRecord = { code: code as StepCode, state: "RUNNING", at: this.clock.now().toString(), durationMs: null, facts: {} };
    this.steps.push(record);
    await this.onChange(this);
    try {
      const result = await work();
      record.facts = { ...record.facts, ...(result as { facts?: Facts } | undefined)?.facts };
      record.state = "DONE";
      return result;
    } catch (error) {
      record.state = "FAILED";
      throw error;
    } finally {
      record.durationMs = Math.round(this.clock.monotonicMs() - startedMs);
    }
  }

  /** Says how far a step is that waits for a known time. */
  async waited(doneMs: number, ofMs: number): Promise<void> {
    const record = this.steps.at(-1);
    if (record) record.facts = { ...record.facts, waitedMs: Math.round(doneMs), ofMs };
    await this.onChange(this);
  }

  /** Stores how far it is, in the middle of a step. */
  async save(): Promise<void> {
    await this.onChange(this);
  }

  /** Notes whether something of the catalogue holds. */
  check(code: InvariantCode<N>, expected: string | number, found: string | number): void {
    this.invariants.push({
      code: code as InvariantCode,
      holds: String(expected) === String(found),
      expected: String(expected),
      found: String(found),
    });
  }

  /** Null: every invariant of the catalogue was checked, and holds. */
  verdict(): DrillReason | null {
    if (this.invariants.some(({ holds }) => !holds)) return "INVARIANT_BROKEN";
    const checked = new Set<string>(this.invariants.map(({ code }) => code));
    return drillEntry(this.drill).invariants.every((code) => checked.has(code)) ? null : "NOT_CHECKED";
  }
}
