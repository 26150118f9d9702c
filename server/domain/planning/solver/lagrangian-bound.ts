// biome-ignore-all lint/style/noNonNullAssertion: indexes come from the model
import type { Model } from "./model";
import { copyPrices, noPrices, type Prices } from "./prices";
import { Relaxation } from "./relaxation";

export type BoundOptions = {
  rounds: number /** What the best plan costs. */;
  cost: number;
  shouldStop: () => boolean;
};

/** Part of the new direction in the average: measured, 0.05 stays 0.3 % below what 0.01 reaches in half of the rounds. */
const newShare = 0.01;
/** The step shrinks after so many rounds without a gain, down to the least, and grows with a gain worth the name, as a part of what is missing. */
const [patience, smaller, larger, worthTheName, leastStep] = [5, 0.8, 1.2, 0.005, 1e-4];
const longestStep = 2;
type Part = keyof Prices;

/**
 * Raises the prices of what is wanted too much until the relaxed plan costs almost as much as the best legal one. Valid whenever it is stopped. Each step
 * goes from the best prices so far in an averaged direction (the volume algorithm, Barahona and Anbil 2000), which ends at the bound of the linear program.
 */
export class LagrangianBound {
  readonly relaxation: Relaxation;
  /** The best bound and the prices at which it was found. */
  value = Number.NEGATIVE_INFINITY;
  prices: Prices;
  least: Float64Array;
  outPrice = 0;
  rounds = 0;
  private step = 1;
  private stalled = 0;
  private readonly direction: Prices;
  /** The prices that are looked at next. */
  private readonly trial: Prices;
  /** Without a clinic limit, or a cost of load, nothing is priced there. */
  private readonly parts: Part[];
  /** A place that is dearer than being without one is taken by nobody: no price need be higher, and sums stay exact enough. */
  private readonly highest: number;

  /** `unassignedMin`: so many visits, at least, have no place in any plan. */
  constructor(
    private readonly model: Model,
    unassignedMin = 0,
  ) {
    this.relaxation = new Relaxation(model, unassignedMin);
    this.prices = noPrices(model);
    this.direction = noPrices(model);
    this.least = this.relaxation.least.slice();
    this.highest =
      model.limits.reduce((most, limit) => Math.max(most, limit), 1) * Math.max(1, ...model.visits.map((visit) => visit.unassignedCost));
    this.parts = ["doctor", "equipment"];
    if (this.relaxation.hasClinicLimit) this.parts.push("clinic");
    if (model.problem.weights.loadPair > 0) this.parts.push("load");
    this.setLoadPrices();
    this.trial = copyPrices(this.prices);
  }

  /** Costs are whole numbers, so what lies between two of them counts as the upper one. */
  get bound(): number {
    return Math.ceil(this.value - 1e-6);
  }

  /** Goes on where it was; does nothing any more once the steps have become too small to gain anything. */
  improve({ rounds, cost, shouldStop }: BoundOptions): void {
    for (let round = 0; round < rounds && this.step >= leastStep && !shouldStop(); round += 1) {
      const value = this.relaxation.evaluate(this.trial);
      const gain = value - this.value;
      this.rounds += 1;
      // above the cost of a legal plan no bound can be: that would be a mistake, and is not believed
      if (gain > 1e-9 && value <= cost + 1e-3) {
        this.stalled = 0;
        if (this.rounds > 1 && gain > worthTheName * Math.max(1, cost - this.value)) this.step = Math.min(longestStep, this.step * larger);
        this.keep(value, this.trial);
      } else this.stalled += 1;
      if (this.bound >= cost) return;
      const size = this.turn();
      if (size < 1e-6) return; // nothing is wanted too much
      if (this.stalled >= patience) {
        this.step *= smaller;
        this.stalled = 0;
      }
      this.move((this.step * Math.max(1, cost - this.value)) / size);
    }
  }

  private keep(value: number, prices: Prices): void {
    this.value = value;
    for (const part of this.parts) this.prices[part].set(prices[part]);
    this.least.set(this.relaxation.least);
    this.outPrice = this.relaxation.outPrice;
  }

  /** Mixes the new direction into the average. @returns its squared length, without what would push a price below nothing */
  private turn(): number {
    let size = 0;
    for (const part of this.parts) {
      const [excess, direction, price] = [this.relaxation.excess[part], this.direction[part], this.trial[part]];
      const mayBeNegative = part === "load";
      for (let i = 0; i < excess.length; i += 1) {
        const mixed = this.rounds === 1 ? excess[i]! : newShare * excess[i]! + (1 - newShare) * direction[i]!;
        direction[i] = mixed;
        if (mayBeNegative || mixed > 0 || price[i]! > 0) size += mixed * mixed;
      }
    }
    return size;
  }

  /** From the best prices. */
  private move(step: number): void {
    for (const part of this.parts) {
      const [direction, best, trial] = [this.direction[part], this.prices[part], this.trial[part]];
      for (let i = 0; i < trial.length; i += 1) {
        const moved = Math.min(this.highest, best[i]! + step * direction[i]!);
        trial[i] = part === "load" ? Math.max(-this.highest, moved) : Math.max(0, moved);
      }
    }
  }

  /** An even spread is a good first guess of what one more visit costs a day. */
  private setLoadPrices(): void {
    const { fixedLoad, visits, problem } = this.model;
    const loads = fixedLoad.slice();
    for (let i = 0; i < visits.length && loads.length > 0; i += 1) {
      let least = 0;
      for (let bucket = 1; bucket < loads.length; bucket += 1) if (loads[bucket]! < loads[least]!) least = bucket;
      loads[least]! += 1;
    }
    for (const [bucket, load] of loads.entries()) this.prices.load[bucket] = problem.weights.loadPair * Math.max(0, load - 0.5);
  }
}
