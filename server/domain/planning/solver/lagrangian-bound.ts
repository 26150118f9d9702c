// biome-ignore-all lint/style/noNonNullAssertion: indexes come from the model
import type { Model } from "./model";
import { copyPrices, noPrices, type Prices } from "./prices";
import { Relaxation } from "./relaxation";

export type BoundOptions = {
  rounds: number /** What the best plan costs. */;
  cost: number;
  shouldStop: () => boolean /** Rounds with little gain before the step is made smaller. */;
  patience?: number;
};

/** Part of the new direction in the average. When rounds gain little, the step is made smaller, down to the least. */
const [newShare, smaller, leastStep] = [0.05, 0.7, 1e-4];
type Part = keyof Prices;

/** Raises the prices of what is wanted too much until the relaxed plan costs almost as much as the best legal one. Valid whenever it is stopped. */
export class LagrangianBound {
  readonly relaxation: Relaxation;
  /** The best bound and the prices at which it was found. */
  value = Number.NEGATIVE_INFINITY;
  prices: Prices;
  least: Float64Array;
  rounds = 0;
  private readonly direction: Prices;
  /** Without a clinic limit, or a cost of load, nothing is priced there. */
  private readonly parts: Part[];
  /** A place that is dearer than being without one is taken by nobody: no price need be higher, and sums stay exact enough. */
  private readonly highest: number;

  constructor(private readonly model: Model) {
    this.relaxation = new Relaxation(model);
    this.prices = noPrices(model);
    this.direction = noPrices(model);
    this.least = this.relaxation.least.slice();
    this.highest =
      model.limits.reduce((most, limit) => Math.max(most, limit), 1) * Math.max(1, ...model.visits.map((visit) => visit.unassignedCost));
    this.parts = ["doctor", "equipment"];
    if (this.relaxation.hasClinicLimit) this.parts.push("clinic");
    if (model.problem.weights.loadPair > 0) this.parts.push("load");
    this.setLoadPrices();
  }

  /** Costs are whole numbers, so what lies between two of them counts as the upper one. */
  get bound(): number {
    return Math.ceil(this.value - 1e-6);
  }

  /** Goes on from the best prices so far. */
  improve({ rounds, cost, shouldStop, patience = 30 }: BoundOptions): void {
    const prices = copyPrices(this.prices);
    let step = this.rounds === 0 ? 1 : 0.5;
    let stalled = 0;
    for (let round = 1; round <= rounds && !shouldStop(); round += 1) {
      const value = this.relaxation.evaluate(prices);
      this.rounds += 1;
      // above the cost of a legal plan no bound can be: that would be a mistake, and is not believed
      if (value > this.value + 1e-9 && value <= cost + 1e-3) {
        if (value > this.value + 0.02 * Math.max(1, cost - this.value)) stalled = 0;
        this.keep(value, prices);
      } else stalled += 1;
      if (this.bound >= cost) return;
      const size = this.turn(prices, round === 1);
      if (size < 1e-6) return; // nothing is wanted too much
      if (stalled >= patience) {
        step *= smaller;
        stalled = 0;
        for (const part of this.parts) prices[part].set(this.prices[part]);
        if (step < leastStep) return;
      }
      this.move(prices, (step * Math.max(1, cost - value)) / size);
    }
  }

  private keep(value: number, prices: Prices): void {
    this.value = value;
    for (const part of this.parts) this.prices[part].set(prices[part]);
    this.least.set(this.relaxation.least);
  }

  /** Mixes the new direction into the average. @returns its squared length, without what would push a price below nothing */
  private turn(prices: Prices, isFirst: boolean): number {
    let size = 0;
    for (const part of this.parts) {
      const [excess, direction, price] = [this.relaxation.excess[part], this.direction[part], prices[part]];
      const mayBeNegative = part === "load";
      for (let i = 0; i < excess.length; i += 1) {
        const mixed = isFirst ? excess[i]! : newShare * excess[i]! + (1 - newShare) * direction[i]!;
        direction[i] = mixed;
        if (mayBeNegative || mixed > 0 || price[i]! > 0) size += mixed * mixed;
      }
    }
    return size;
  }

  private move(prices: Prices, step: number): void {
    for (const part of this.parts) {
      const [direction, price] = [this.direction[part], prices[part]];
      for (let i = 0; i < price.length; i += 1) {
        const moved = Math.min(this.highest, price[i]! + step * direction[i]!);
        price[i] = part === "load" ? Math.max(-this.highest, moved) : Math.max(0, moved);
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
