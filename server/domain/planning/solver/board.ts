// biome-ignore-all lint/style/noNonNullAssertion: the innermost loops of the search; indexes come from the model
import { copySpots, type Model, type Spots, unlimited, type VisitModel } from "./model";

const none = 32767;

/**
 * Who is where and how full everything is, kept up to date by `put` and `take`. Only what `fits` is put, so that every state that the search passes
 * through is a legal plan; being without a place is the only slack.
 */
export class Board {
  readonly spots: Spots;
  cost = 0;
  /** What each visit costs by itself where it is. */
  readonly own: Int32Array;
  /** [doctor × days + day]: visits, and how many they are with those that are not ours. */
  readonly visitsOf: number[][];
  readonly load: Int32Array;
  /** [equipment × days + day] */
  readonly usersOf: number[][];
  private readonly count: Int16Array;
  private readonly smallest: Int16Array;
  /** [(doctor × cells + cell) × limits + limit]: claims that carry this limit; needed to find the smallest again when one leaves. */
  private readonly byLimit: Int16Array;
  private readonly limitIndex: Map<number, number>;
  private readonly inClinic: Int16Array;
  private readonly used: Int16Array;
  private readonly hasClinicLimit: boolean;

  constructor(readonly model: Model) {
    const { visits, doctorCount, equipmentCount, cellCount, days, limits } = model;
    const empty = () => new Int32Array(visits.length).fill(-1);
    this.spots = { start: empty(), doctor: empty(), option: empty() };
    this.own = Int32Array.from(visits, ({ unassignedCost }) => unassignedCost);
    this.visitsOf = Array.from({ length: doctorCount * days }, () => []);
    this.usersOf = Array.from({ length: equipmentCount * days }, () => []);
    this.load = model.fixedLoad.slice();
    this.count = new Int16Array(doctorCount * cellCount);
    this.smallest = new Int16Array(doctorCount * cellCount).fill(none);
    this.byLimit = new Int16Array(doctorCount * cellCount * limits.length);
    this.limitIndex = new Map(limits.map((limit, index) => [limit, index]));
    this.inClinic = new Int16Array(cellCount);
    this.used = new Int16Array(equipmentCount * cellCount);
    this.hasClinicLimit = model.clinicLimit < unlimited;
    for (const { doctor, from, until, limit } of model.fixed.doctors) this.claimDoctor(doctor, from, until, limit, 1);
    for (const { from, until } of model.fixed.clinic) this.add(this.inClinic, from, until, 1);
    for (const { equipment, from, until } of model.fixed.equipment)
      this.add(this.used, equipment * cellCount + from, equipment * cellCount + until, 1);
    for (const visitCost of this.own) this.cost += visitCost;
    for (const visits of this.load) this.cost += (this.loadPair * visits * (visits - 1)) / 2;
  }

  get loadPair(): number {
    return this.model.problem.weights.loadPair;
  }

  /** Whether the visit may be there beside all that is there now. The place must be open to its kind. */
  fits(visit: number, doctor: number, start: number, option: number): boolean {
    const { kind } = this.model.visits[visit]!;
    const { cellCount } = this.model;
    if (kind.open[doctor * this.model.startCount + start] !== 1) return false;
    const limit = kind.limits[doctor]!;
    const base = doctor * cellCount;
    for (let cell = base + kind.claimFrom[start]!, end = base + kind.claimUntil[start]!; cell < end; cell += 1) {
      const count = this.count[cell]!;
      if (count >= limit || count >= this.smallest[cell]!) return false;
    }
    if (this.hasClinicLimit)
      for (let cell = kind.visitFrom[start]!, end = kind.visitUntil[start]!; cell < end; cell += 1)
        if (this.inClinic[cell]! >= this.model.clinicLimit) return false;
    for (const { equipment, units, from, until } of kind.options[option]!)
      for (let cell = equipment * cellCount + from[start]!, end = equipment * cellCount + until[start]!; cell < end; cell += 1)
        if (this.used[cell]! + units > this.model.units[cell]!) return false;
    return this.isPatientFree(this.model.visits[visit]!, start);
  }

  private isPatientFree({ samePatient, minutes }: VisitModel, start: number): boolean {
    if (samePatient.length === 0) return true;
    const { at, visits } = this.model;
    for (const other of samePatient) {
      const there = this.spots.start[other]!;
      if (there >= 0 && at[there]! < at[start]! + minutes && at[start]! < at[there]! + visits[other]!.minutes) return false;
    }
    return true;
  }

  put(visit: number, doctor: number, start: number, option: number, own: number): void {
    const day = this.model.dayOf[start]!;
    const bucket = doctor * this.model.days + day;
    this.cost += own - this.own[visit]! + this.loadPair * this.load[bucket]!;
    this.load[bucket]! += 1;
    this.own[visit] = own;
    this.spots.start[visit] = start;
    this.spots.doctor[visit] = doctor;
    this.spots.option[visit] = option;
    this.visitsOf[bucket]!.push(visit);
    this.change(visit, doctor, start, option, 1);
    for (const { equipment } of this.model.visits[visit]!.kind.options[option]!)
      this.usersOf[equipment * this.model.days + day]!.push(visit);
  }

  take(visit: number): void {
    const { start, doctor, option } = this.spots;
    const [at, who, how] = [start[visit]!, doctor[visit]!, option[visit]!];
    if (at < 0) return;
    const day = this.model.dayOf[at]!;
    const bucket = who * this.model.days + day;
    const { unassignedCost, kind } = this.model.visits[visit]!;
    this.load[bucket]! -= 1;
    this.cost += unassignedCost - this.own[visit]! - this.loadPair * this.load[bucket]!;
    this.own[visit] = unassignedCost;
    start[visit] = -1;
    doctor[visit] = -1;
    option[visit] = -1;
    remove(this.visitsOf[bucket]!, visit);
    this.change(visit, who, at, how, -1);
    for (const { equipment } of kind.options[how]!) remove(this.usersOf[equipment * this.model.days + day]!, visit);
  }

  private change(visit: number, doctor: number, start: number, option: number, step: 1 | -1): void {
    const { kind } = this.model.visits[visit]!;
    const { cellCount } = this.model;
    this.claimDoctor(doctor, kind.claimFrom[start]!, kind.claimUntil[start]!, kind.limits[doctor]!, step);
    if (this.hasClinicLimit) this.add(this.inClinic, kind.visitFrom[start]!, kind.visitUntil[start]!, step);
    for (const { equipment, units, from, until } of kind.options[option]!)
      this.add(this.used, equipment * cellCount + from[start]!, equipment * cellCount + until[start]!, step * units);
  }

  private claimDoctor(doctor: number, from: number, until: number, limit: number, step: 1 | -1): void {
    const kinds = this.model.limits.length;
    const index = this.limitIndex.get(limit)!;
    const base = doctor * this.model.cellCount;
    for (let cell = base + from; cell < base + until; cell += 1) {
      this.count[cell]! += step;
      this.byLimit[cell * kinds + index]! += step;
      if (step > 0) {
        if (limit < this.smallest[cell]!) this.smallest[cell] = limit;
      } else if (this.smallest[cell] === limit) this.smallest[cell] = this.smallestAt(cell);
    }
  }

  private smallestAt(cell: number): number {
    const { limits } = this.model;
    for (const [index, limit] of limits.entries()) if (this.byLimit[cell * limits.length + index]! > 0) return limit;
    return none;
  }

  private add(counts: Int16Array, from: number, until: number, step: number): void {
    for (let cell = from; cell < until; cell += 1) counts[cell]! += step;
  }

  /** Goes to another legal state, of this board earlier. */
  restore(to: Spots): void {
    const { start, doctor, option } = this.spots;
    const differs = (visit: number) =>
      start[visit] !== to.start[visit] || doctor[visit] !== to.doctor[visit] || option[visit] !== to.option[visit];
    const changed = Array.from(start.keys()).filter(differs);
    for (const visit of changed) this.take(visit);
    for (const visit of changed)
      if (to.start[visit]! >= 0)
        this.put(visit, to.doctor[visit]!, to.start[visit]!, to.option[visit]!, this.costOf(visit, to.doctor[visit]!, to.start[visit]!));
  }

  /** Of a place by itself, without the load of its day. */
  costOf(visit: number, doctor: number, start: number): number {
    const { startCosts, doctorCosts, doctors } = this.model.visits[visit]!;
    return startCosts[start]! + doctorCosts[doctors.indexOf(doctor)]!;
  }

  copy(): Spots {
    return copySpots(this.spots);
  }
}

function remove(list: number[], visit: number): void {
  const index = list.indexOf(visit);
  list[index] = list.at(-1)!;
  list.pop();
}
