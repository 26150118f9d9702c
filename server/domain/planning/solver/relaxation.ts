// biome-ignore-all lint/style/noNonNullAssertion: indexes come from the model
import { type Model, unlimited, type VisitModel } from "./model";
import { noPrices, type Prices, PriceTables } from "./prices";

/**
 * The problem with its limits replaced by prices: each visit takes what is cheapest for it, as if it were alone, and what all limits would earn is taken
 * off. At any prices the sum is a bound, because a legal plan pays no more than its own cost. Only additions, subtractions, multiplications and divisions,
 * so that every machine finds the same.
 */
export class Relaxation {
  readonly tables: PriceTables;
  /** How far the cheapest places exceed each limit; the direction in which prices go up. */
  readonly excess: Prices;
  /** By visit: the least that it pays, be it for being without a place. */
  readonly least: Float64Array;
  /** Taken off the cost of being without a place, so that as many are as must be. */
  outPrice = 0;
  readonly hasClinicLimit: boolean;
  private readonly room: Prices;
  private readonly chosen: Int32Array;
  private tie = 12_345;

  /** `unassignedMin`: so many visits, at least, have no place in any plan; who they are is left open. */
  constructor(
    readonly model: Model,
    private readonly unassignedMin = 0,
  ) {
    this.tables = new PriceTables(model);
    this.excess = noPrices(model);
    this.least = new Float64Array(model.visits.length);
    this.chosen = new Int32Array(model.visits.length);
    this.hasClinicLimit = model.clinicLimit < unlimited;
    this.room = roomLeft(model);
  }

  /** @returns the bound at these prices; `excess` and `least` tell how it came about */
  evaluate(prices: Prices): number {
    this.tables.update(prices);
    for (const part of Object.values(this.excess)) part.fill(0);
    for (const [index, visit] of this.model.visits.entries()) this.findCheapest(index, visit);
    let value = this.leaveOut();
    for (const [index, visit] of this.model.visits.entries()) {
      value += this.least[index]!;
      if (this.chosen[index]! >= 0) this.count(visit, this.chosen[index]!);
    }
    value -= this.takeOffRoom("doctor", prices) + this.takeOffRoom("equipment", prices);
    if (this.hasClinicLimit) value -= this.takeOffRoom("clinic", prices);
    return value + this.loadTerm(prices);
  }

  private findCheapest(index: number, { kind, byCost, startCosts, unassignedCost, favourite, otherCost }: VisitModel): void {
    const { place, least, leastOfAll } = this.tables.ofKind.get(kind)!;
    const { startCount } = this.model;
    const own = favourite >= 0 ? favourite * startCount : -1;
    let best = unassignedCost;
    let [chosen, ties] = [-1, 0];
    for (let i = 0; i < byCost.length; i += 1) {
      const start = byCost[i]!;
      const cost = startCosts[start]!;
      if (cost + leastOfAll > best + 1e-9) break;
      let value = least[start]! + otherCost;
      if (own >= 0 && place[own + start]! < value) value = place[own + start]!;
      value += cost;
      if (value < best - 1e-9) {
        best = value;
        chosen = start;
        ties = 1;
      } else if (chosen >= 0 && value <= best + 1e-9) {
        ties += 1;
        if (this.oneOf(ties)) chosen = start;
      }
    }
    this.least[index] = best;
    this.chosen[index] = chosen;
  }

  /**
   * As many as must be without a place are: those for whom it costs least beyond their cheapest place. What it costs them more is taken off for everybody,
   * and given back for those who must: the sum is the same, and every visit pays the less of two.
   * @returns what is given back
   */
  private leaveOut(): number {
    const { visits } = this.model;
    this.outPrice = 0;
    if (this.unassignedMin === 0) return 0;
    const more = (visit: number) => visits[visit]!.unassignedCost - this.least[visit]!;
    const order = [...visits.keys()].sort((a, b) => more(a) - more(b) || a - b);
    const out = order.slice(0, this.unassignedMin);
    this.outPrice = Math.max(0, ...out.map(more));
    for (const visit of out) this.chosen[visit] = -1;
    for (const [visit, { unassignedCost }] of visits.entries())
      this.least[visit] = Math.min(this.least[visit]!, unassignedCost - this.outPrice);
    return this.outPrice * this.unassignedMin;
  }

  /** Among equals by lot, or all visits of a kind would crowd into one place. */
  private oneOf(ties: number): boolean {
    this.tie = (Math.imul(this.tie, 1_664_525) + 1_013_904_223) | 0;
    return (this.tie >>> 8) % ties === 0;
  }

  private cheapestDoctor(place: Float64Array, start: number, favourite: number, otherCost: number): number {
    const { doctorCount, startCount } = this.model;
    let [best, chosen, ties] = [Number.POSITIVE_INFINITY, -1, 0];
    for (let doctor = 0; doctor < doctorCount; doctor += 1) {
      const value = place[doctor * startCount + start]! + (doctor === favourite ? 0 : otherCost);
      if (value < best - 1e-9) {
        best = value;
        chosen = doctor;
        ties = 1;
      } else if (value <= best + 1e-9) {
        ties += 1;
        if (this.oneOf(ties)) chosen = doctor;
      }
    }
    return chosen;
  }

  private count({ kind, favourite, otherCost }: VisitModel, start: number): void {
    const { cellCount, days, dayOf } = this.model;
    const { excess } = this;
    const { place, option: cheapest } = this.tables.ofKind.get(kind)!;
    const doctor = this.cheapestDoctor(place, start, favourite, otherCost);
    const share = 1 / kind.limits[doctor]!;
    const base = doctor * cellCount;
    for (let cell = kind.claimFrom[start]!; cell < kind.claimUntil[start]!; cell += 1) excess.doctor[base + cell]! += share;
    if (this.hasClinicLimit) for (let cell = kind.visitFrom[start]!; cell < kind.visitUntil[start]!; cell += 1) excess.clinic[cell]! += 1;
    for (const { equipment, units, from, until } of kind.options[cheapest[start]!]!)
      for (let cell = from[start]!; cell < until[start]!; cell += 1) excess.equipment[equipment * cellCount + cell]! += units;
    excess.load[doctor * days + dayOf[start]!]! += 1;
  }

  private takeOffRoom(part: "doctor" | "clinic" | "equipment", prices: Prices): number {
    const [excess, room, price] = [this.excess[part], this.room[part], prices[part]];
    let sum = 0;
    for (let i = 0; i < excess.length; i += 1) {
      excess[i]! -= room[i]!;
      if (price[i]! > 0) sum += price[i]! * room[i]!;
    }
    return sum;
  }

  /** The cheapest number of visits for each day of a doctor, when each is paid for; the pairs that it makes cost what they cost. */
  private loadTerm({ load }: Prices): number {
    const { fixedLoad, visits, problem } = this.model;
    const { loadPair } = problem.weights;
    let sum = 0;
    for (const [bucket, fixed] of fixedLoad.entries()) {
      const price = load[bucket]!;
      // no more than all visits; beyond 2^53 a count plus one is the same count
      const most = fixed + visits.length;
      const near = loadPair > 0 ? Math.max(fixed, Math.min(most, Math.floor(price / loadPair))) : price > 0 ? most : fixed;
      let [best, chosen] = [Number.POSITIVE_INFINITY, fixed];
      for (let count = Math.max(fixed, near - 1); count <= Math.min(most, near + 2); count += 1) {
        const value = (loadPair * count * (count - 1)) / 2 - price * (count - fixed);
        if (value < best) {
          best = value;
          chosen = count;
        }
      }
      sum += best;
      this.excess.load[bucket]! -= chosen - fixed;
    }
    return sum;
  }
}

/** What is left beside the claims that are not ours; never below nothing, whatever those exceed. */
function roomLeft(model: Model): Prices {
  const { cellCount, fixed, clinicLimit, units } = model;
  const room = noPrices(model);
  room.doctor.fill(1);
  room.clinic.fill(clinicLimit);
  room.equipment.set(units);
  for (const { doctor, from, until, limit } of fixed.doctors)
    for (let cell = from; cell < until; cell += 1) room.doctor[doctor * cellCount + cell]! -= 1 / limit;
  for (const { from, until } of fixed.clinic) for (let cell = from; cell < until; cell += 1) room.clinic[cell]! -= 1;
  for (const { equipment, from, until } of fixed.equipment)
    for (let cell = from; cell < until; cell += 1) room.equipment[equipment * cellCount + cell]! -= 1;
  for (const part of [room.doctor, room.clinic, room.equipment]) for (const [i, left] of part.entries()) if (left < 1e-9) part[i] = 0;
  return room;
}
