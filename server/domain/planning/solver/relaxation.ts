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
  /** By visit: the least that it pays. */
  readonly least: Float64Array;
  readonly hasClinicLimit: boolean;
  private readonly room: Prices;
  private tie = 12_345;

  constructor(readonly model: Model) {
    this.tables = new PriceTables(model);
    this.excess = noPrices(model);
    this.least = new Float64Array(model.visits.length);
    this.hasClinicLimit = model.clinicLimit < unlimited;
    this.room = roomLeft(model);
  }

  /** @returns the bound at these prices; `excess` and `least` tell how it came about */
  evaluate(prices: Prices): number {
    this.tables.update(prices);
    for (const part of Object.values(this.excess)) part.fill(0);
    let value = 0;
    for (const [index, visit] of this.model.visits.entries()) value += this.placeCheapest(index, visit);
    value -= this.takeOffRoom("doctor", prices) + this.takeOffRoom("equipment", prices);
    if (this.hasClinicLimit) value -= this.takeOffRoom("clinic", prices);
    return value + this.loadTerm(prices);
  }

  private placeCheapest(index: number, { kind, byCost, startCosts, unassignedCost, favourite, otherCost }: VisitModel): number {
    const { place, least, leastOfAll, option } = this.tables.ofKind.get(kind)!;
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
    if (chosen >= 0) this.count(kind, this.cheapestDoctor(place, chosen, favourite, otherCost), chosen, option[chosen]!);
    return best;
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

  private count(kind: VisitModel["kind"], doctor: number, start: number, option: number): void {
    const { cellCount, days, dayOf } = this.model;
    const { excess } = this;
    const share = 1 / kind.limits[doctor]!;
    const base = doctor * cellCount;
    for (let cell = kind.claimFrom[start]!; cell < kind.claimUntil[start]!; cell += 1) excess.doctor[base + cell]! += share;
    if (this.hasClinicLimit) for (let cell = kind.visitFrom[start]!; cell < kind.visitUntil[start]!; cell += 1) excess.clinic[cell]! += 1;
    for (const { equipment, units, from, until } of kind.options[option]!)
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
