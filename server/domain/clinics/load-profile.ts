// How full a resource is over time, counted exactly as the trigger claims_within_seats counts: at every instant no more claims than the smallest limit
// among them, and no more than what is not out.
import type { Span } from "./local-time";
import { mergeSpans } from "./spans";
import type { ClaimFact, OutageFact } from "./types";

/** From `from` until the next step: claims at a time, the smallest limit among them (Infinity without claims), units that are out. */
type Step = { from: number; count: number; smallest: number; unitsOut: number };

export class LoadProfile {
  private readonly steps: Step[];
  private readonly fullBySeats = new Map<number | null, Span[]>();

  /** `own`: the seats of the resource. Claims that staff overrode are outside the count. */
  constructor(
    private readonly own: number,
    claims: readonly ClaimFact[],
    outages: readonly OutageFact[],
  ) {
    const changes: { at: number; limit: number; step: 1 | -1; units: number }[] = [];
    for (const claim of claims) {
      if (claim.overridden) continue;
      const limit = claim.seats ?? own;
      changes.push({ at: claim.from, limit, step: 1, units: 0 }, { at: claim.until, limit, step: -1, units: 0 });
    }
    for (const { from, until, units } of outages)
      changes.push({ at: from, limit: 0, step: 1, units }, { at: until, limit: 0, step: -1, units });
    changes.sort((a, b) => a.at - b.at);
    this.steps = layOut(changes);
  }

  /** Visits that could still be added at once over [from, until) with a claim of `seats` (null: the resource's own). Below 1: none. */
  free(from: number, until: number, seats: number | null): number {
    let least = Number.POSITIVE_INFINITY;
    for (let i = this.indexAt(from); i < this.steps.length && (i < 0 || (this.steps[i] as Step).from < until); i += 1)
      least = Math.min(least, this.room(this.steps[i], seats));
    return least;
  }

  /** Whether one visit may hold all these claims of the resource together. */
  fits(claims: readonly Span[], seats: number | null): boolean {
    return claims.every((claim) => {
      const points = [claim.from];
      for (const { from } of this.steps) if (from > claim.from && from < claim.until) points.push(from);
      for (const { from } of claims) if (from > claim.from && from < claim.until) points.push(from);
      return points.every((at) => {
        const held = claims.filter(({ from, until }) => from <= at && at < until).length;
        return this.room(this.steps[this.indexAt(at)], seats) >= held;
      });
    });
  }

  /** Where a claim of `seats` finds no room, merged. */
  full(seats: number | null): Span[] {
    let spans = this.fullBySeats.get(seats);
    if (!spans) {
      spans = mergeSpans(
        this.steps.flatMap((step, i) =>
          this.room(step, seats) < 1 ? [{ from: step.from, until: this.steps[i + 1]?.from ?? Number.POSITIVE_INFINITY }] : [],
        ),
      );
      this.fullBySeats.set(seats, spans);
    }
    return spans;
  }

  private room(step: Step | undefined, seats: number | null): number {
    const limit = Math.min(seats ?? this.own, step?.smallest ?? Number.POSITIVE_INFINITY);
    if (!step) return limit;
    return (step.unitsOut > 0 ? Math.min(limit, this.own - step.unitsOut) : limit) - step.count;
  }

  /** The step that holds an instant; -1 before the first. */
  private indexAt(at: number): number {
    let [low, high] = [0, this.steps.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.steps[middle] as Step).from <= at) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

function layOut(changes: readonly { at: number; limit: number; step: 1 | -1; units: number }[]): Step[] {
  const steps: Step[] = [];
  const limits = new Map<number, number>(); // how many claims bring which limit: a handful of different ones
  let [count, unitsOut] = [0, 0];
  for (const [i, { at, limit, step, units }] of changes.entries()) {
    if (units > 0) unitsOut += step * units;
    else {
      count += step;
      const claims = (limits.get(limit) ?? 0) + step;
      if (claims === 0) limits.delete(limit);
      else limits.set(limit, claims);
    }
    if (changes[i + 1]?.at !== at) steps.push({ from: at, count, smallest: Math.min(...limits.keys()), unitsOut });
  }
  return steps;
}
