// biome-ignore-all lint/style/noNonNullAssertion: indexes come from the model
import type { Kernel } from "./kernel-mip";
import type { Model, Spots } from "./model";
import type { ReducedCosts } from "./reduced-costs";

/** Reduced costs are counted in so many steps between nothing and the room that is left. */
const steps = 512;

export class KernelChoice {
  /** Places that may be in a better plan. */
  count = 0;
  private readonly byStep = new Int32Array(steps + 1);

  constructor(
    private readonly model: Model,
    private readonly reduced: ReducedCosts,
  ) {
    reduced.forEach((_visit, _doctor, _start, _option, cost) => {
      this.count += 1;
      this.byStep[this.stepOf(cost)]! += 1;
    });
  }

  /** Everything that a better plan may consist of: solving it proves the best plan. */
  all(spots: Spots): Kernel {
    return this.choose(spots, [...this.model.visits.keys()], () => true, Number.POSITIVE_INFINITY);
  }

  /** The visits of one day and those without a place, at the most promising places of that day. */
  ofDay(spots: Spots, day: number, placesMax: number): Kernel {
    const { dayOf, visits } = this.model;
    const isFree = (visit: number) => spots.start[visit]! < 0 || dayOf[spots.start[visit]!] === day;
    const free = [...visits.keys()].filter(isFree);
    const isOnDay = (visit: number, start: number) => dayOf[start] === day && isFree(visit);
    const counts = new Int32Array(steps + 1);
    this.reduced.forEach((visit, _doctor, start, _option, cost) => {
      if (isOnDay(visit, start)) counts[this.stepOf(cost)]! += 1;
    });
    let [step, sum] = [0, 0];
    while (step <= steps && sum + counts[step]! <= placesMax) sum += counts[step++]!;
    return this.choose(spots, free, isOnDay, step);
  }

  private choose(spots: Spots, free: number[], isWanted: (visit: number, start: number) => boolean, stepsMax: number): Kernel {
    const { visits, at } = this.model;
    const isFree = new Set(free);
    const places: Kernel["places"] = [];
    const isNow = (visit: number, doctor: number, start: number, option: number) =>
      spots.start[visit] === start && spots.doctor[visit] === doctor && spots.option[visit] === option;
    const isClear = (visit: number, start: number) =>
      ![...visits[visit]!.samePatient].some((other) => {
        const there = spots.start[other]!;
        if (isFree.has(other) || there < 0) return false;
        return at[there]! < at[start]! + visits[visit]!.minutes && at[start]! < at[there]! + visits[other]!.minutes;
      });
    this.reduced.forEach((visit, doctor, start, option, cost) => {
      if (!isFree.has(visit) || !isWanted(visit, start) || this.stepOf(cost) >= stepsMax || isNow(visit, doctor, start, option)) return;
      if (isClear(visit, start)) places.push({ visit, doctor, start, option });
    });
    for (const visit of free)
      if (spots.start[visit]! >= 0)
        places.push({ visit, doctor: spots.doctor[visit]!, start: spots.start[visit]!, option: spots.option[visit]! });
    const mayStayOut = (visit: number) => spots.start[visit]! < 0 || this.reduced.ofNoPlace(visit) <= this.reduced.room;
    return { visits: free, places, mayStayOut };
  }

  private stepOf(cost: number): number {
    return Math.min(steps, Math.floor((Math.max(0, cost) / Math.max(1, this.reduced.room)) * steps));
  }
}
