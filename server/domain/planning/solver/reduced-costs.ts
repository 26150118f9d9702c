// biome-ignore-all lint/style/noNonNullAssertion: indexes come from the model
import type { LagrangianBound } from "./lagrangian-bound";
import type { Model } from "./model";
import type { PriceTables } from "./prices";

/**
 * What taking a place costs beyond the bound. A place that costs more than what lies between the bound and the best plan is in no better plan, and need
 * not be looked at again.
 */
export class ReducedCosts {
  /** A better plan costs at least one less than `cost`; the margin covers what doubles round off. */
  readonly room: number;
  private readonly tables: PriceTables;

  constructor(
    private readonly model: Model,
    private readonly lagrangian: LagrangianBound,
    cost: number,
  ) {
    this.room = cost - 1 - lagrangian.value + 1e-6;
    this.tables = lagrangian.relaxation.tables;
    this.tables.update(lagrangian.prices);
  }

  ofPlace(visit: number, doctor: number, start: number, option: number): number {
    const { kind, startCosts, favourite, otherCost } = this.model.visits[visit]!;
    const { place, option: cheapest } = this.tables.ofKind.get(kind)!;
    let price = place[doctor * this.model.startCount + start]!;
    const usual = cheapest[start]!;
    if (option !== usual) price += this.tables.equipmentPrice(kind, option, start) - this.tables.equipmentPrice(kind, usual, start);
    return startCosts[start]! + (doctor === favourite ? 0 : otherCost) + price - this.lagrangian.least[visit]!;
  }

  ofNoPlace(visit: number): number {
    return this.model.visits[visit]!.unassignedCost - this.lagrangian.outPrice - this.lagrangian.least[visit]!;
  }

  /** Every possible place with its reduced cost, as far as that is at most `room`. */
  forEach(each: (visit: number, doctor: number, start: number, option: number, reduced: number) => void): void {
    const { model, room } = this;
    for (const [visit, { byCost, doctors, kind }] of model.visits.entries())
      for (const start of byCost)
        for (const doctor of doctors) {
          if (kind.open[doctor * model.startCount + start] !== 1) continue;
          for (let option = 0; option < kind.options.length; option += 1) {
            const reduced = this.ofPlace(visit, doctor, start, option);
            if (reduced <= room) each(visit, doctor, start, option, reduced);
          }
        }
  }
}
