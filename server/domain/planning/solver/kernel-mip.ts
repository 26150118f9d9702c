// biome-ignore-all lint/style/noNonNullAssertion: indexes come from the model
import { Matrix } from "./matrix";
import { type Model, type Spots, unlimited } from "./model";

/** The part of a problem that is solved exactly: these visits at these places, everybody else where the spots say. */
export type Kernel = {
  visits: number[];
  places: { visit: number; doctor: number; start: number; option: number }[];
  /** Whether leaving it without a place may be part of a better plan. */
  mayStayOut: (visit: number) => boolean;
};
export type KernelMip = { matrix: Matrix; encode: (spots: Spots) => Float64Array; decode: (values: ArrayLike<number>) => Spots };

/**
 * One column for each place. A row for each moment at which something may begin says that what is held then has room; the claims on a doctor are weighted
 * by their limits, which is the rule itself for limits of 1, 2 and 3 and never forbids a legal plan for others.
 */
export function buildKernelMip(model: Model, spots: Spots, kernel: Kernel): KernelMip {
  const matrix = new Matrix();
  const rows = new RoomRows(model, spots, kernel, matrix);
  const visitRow = new Map(kernel.visits.map((visit) => [visit, matrix.addRow(1, 1)]));
  const loadRow = new Map<number, { row: number; visits: Set<number>; fixed: number }>();
  const { loadPair } = model.problem.weights;

  for (const { visit, doctor, start, option } of kernel.places) {
    const entries = [{ row: visitRow.get(visit)!, value: 1 }, ...rows.entriesOf(visit, doctor, start, option)];
    if (loadPair > 0) {
      const bucket = doctor * model.days + model.dayOf[start]!;
      const load = loadRow.get(bucket) ?? { row: matrix.addRow(0, 0), visits: new Set(), fixed: rows.fixedLoad[bucket]! };
      loadRow.set(bucket, load);
      load.visits.add(visit);
      entries.push({ row: load.row, value: -1 });
    }
    const { startCosts, favourite, otherCost } = model.visits[visit]!;
    matrix.addColumn(startCosts[start]! + (doctor === favourite ? 0 : otherCost), entries);
  }
  const outColumn = new Map(
    kernel.visits.map((visit) => {
      const entries = [{ row: visitRow.get(visit)!, value: 1 }];
      return [visit, matrix.addColumn(model.visits[visit]!.unassignedCost, entries, { upper: kernel.mayStayOut(visit) ? 1 : 0 })];
    }),
  );
  // the first visit of a day makes as many pairs as there are fixed ones, the next one more: as they get dearer, they fill up in order by themselves
  const loadColumns = new Map<number, number[]>();
  for (const [bucket, { row, visits, fixed }] of loadRow) {
    const columns = Array.from(visits.keys(), () => 0);
    for (const i of columns.keys()) columns[i] = matrix.addColumn(loadPair * (fixed + i), [{ row, value: 1 }], { isWhole: false });
    loadColumns.set(bucket, columns);
  }
  return {
    matrix,
    encode: (plan) => {
      const values = new Float64Array(matrix.cost.length);
      const loads = new Map<number, number>();
      for (const [column, { visit, doctor, start, option }] of kernel.places.entries()) {
        if (plan.start[visit] !== start || plan.doctor[visit] !== doctor || plan.option[visit] !== option) continue;
        values[column] = 1;
        const bucket = doctor * model.days + model.dayOf[start]!;
        loads.set(bucket, (loads.get(bucket) ?? 0) + 1);
      }
      for (const visit of kernel.visits) if (plan.start[visit]! < 0) values[outColumn.get(visit)!] = 1;
      for (const [bucket, columns] of loadColumns) for (const column of columns.slice(0, loads.get(bucket) ?? 0)) values[column] = 1;
      return values;
    },
    decode: (values) => {
      const plan = { start: spots.start.slice(), doctor: spots.doctor.slice(), option: spots.option.slice() };
      for (const visit of kernel.visits) {
        plan.start[visit] = -1;
        plan.doctor[visit] = -1;
        plan.option[visit] = -1;
      }
      for (const [column, { visit, doctor, start, option }] of kernel.places.entries())
        if (values[column]! > 0.5) {
          plan.start[visit] = start;
          plan.doctor[visit] = doctor;
          plan.option[visit] = option;
        }
      return plan;
    },
  };
}

/** The rows that hold the limits, made where a column needs them, with what others hold taken off. */
class RoomRows {
  /** [doctor × days + day]: visits that the kernel does not move. */
  readonly fixedLoad: Int32Array;
  private readonly rows = new Map<string, number>();
  private readonly scale: number;
  private readonly room: { doctor: Float64Array; clinic: Float64Array; equipment: Float64Array };
  private readonly begins: { doctor: Uint8Array; clinic: Uint8Array; equipment: Uint8Array };

  constructor(
    private readonly model: Model,
    spots: Spots,
    kernel: Kernel,
    private readonly matrix: Matrix,
  ) {
    const { doctorCount, equipmentCount, cellCount } = model;
    this.scale = scaleOf(model.limits);
    this.fixedLoad = model.fixedLoad.slice();
    this.room = {
      doctor: new Float64Array(doctorCount * cellCount).fill(this.scale),
      clinic: new Float64Array(cellCount).fill(model.clinicLimit),
      equipment: Float64Array.from(model.units),
    };
    this.begins = {
      doctor: new Uint8Array(doctorCount * cellCount),
      clinic: new Uint8Array(cellCount),
      equipment: new Uint8Array(equipmentCount * cellCount),
    };
    this.holdFixed(spots, kernel);
    for (const { visit, doctor, start, option } of kernel.places) {
      const { kind } = model.visits[visit]!;
      this.begins.doctor[doctor * cellCount + kind.claimFrom[start]!] = 1;
      this.begins.clinic[kind.visitFrom[start]!] = 1;
      for (const { equipment, from } of kind.options[option]!) this.begins.equipment[equipment * cellCount + from[start]!] = 1;
    }
  }

  entriesOf(visit: number, doctor: number, start: number, option: number): { row: number; value: number }[] {
    const { model } = this;
    const { kind, samePatient } = model.visits[visit]!;
    const weight = this.scale / kind.limits[doctor]!;
    const entries = this.over("doctor", doctor, kind.claimFrom[start]!, kind.claimUntil[start]!, weight);
    if (model.clinicLimit < unlimited) entries.push(...this.over("clinic", 0, kind.visitFrom[start]!, kind.visitUntil[start]!, 1));
    for (const { equipment, units, from, until } of kind.options[option]!)
      entries.push(...this.over("equipment", equipment, from[start]!, until[start]!, units));
    if (samePatient.length > 0)
      for (let cell = kind.visitFrom[start]!; cell < kind.visitUntil[start]!; cell += 1)
        if (this.begins.clinic[cell] === 1)
          entries.push({ row: this.row(`patient ${model.problem.visits[visit]!.patient} ${cell}`, 1), value: 1 });
    return entries;
  }

  /** Only where something begins or room gets less: at any other cell, whoever is there was there before. */
  private over(part: "doctor" | "clinic" | "equipment", index: number, from: number, until: number, value: number) {
    const base = index * this.model.cellCount;
    const [room, begins] = [this.room[part], this.begins[part]];
    const entries: { row: number; value: number }[] = [];
    for (let cell = base + from; cell < base + until; cell += 1)
      if (begins[cell] === 1 || (cell > base && room[cell]! < room[cell - 1]!))
        entries.push({ row: this.row(`${part} ${cell}`, Math.max(0, room[cell]!)), value });
    return entries;
  }

  private row(name: string, upper: number): number {
    let row = this.rows.get(name);
    if (row === undefined) {
      row = this.matrix.addRow(Number.NEGATIVE_INFINITY, upper + 1e-6);
      this.rows.set(name, row);
    }
    return row;
  }

  private holdFixed({ start, doctor, option }: Spots, { visits }: Kernel): void {
    const { model, room, scale } = this;
    const { cellCount, fixed } = model;
    const take = (part: Float64Array, base: number, from: number, until: number, value: number) => {
      for (let cell = base + from; cell < base + until; cell += 1) part[cell]! -= value;
    };
    for (const claim of fixed.doctors) take(room.doctor, claim.doctor * cellCount, claim.from, claim.until, scale / claim.limit);
    for (const { from, until } of fixed.clinic) take(room.clinic, 0, from, until, 1);
    for (const { equipment, from, until } of fixed.equipment) take(room.equipment, equipment * cellCount, from, until, 1);
    const moves = new Set(visits);
    for (const [visit, { kind }] of model.visits.entries()) {
      const at = start[visit]!;
      if (at < 0 || moves.has(visit)) continue;
      const who = doctor[visit]!;
      take(room.doctor, who * cellCount, kind.claimFrom[at]!, kind.claimUntil[at]!, scale / kind.limits[who]!);
      take(room.clinic, 0, kind.visitFrom[at]!, kind.visitUntil[at]!, 1);
      for (const { equipment, units, from, until } of kind.options[option[visit]!]!)
        take(room.equipment, equipment * cellCount, from[at]!, until[at]!, units);
      this.fixedLoad[who * model.days + model.dayOf[at]!]! += 1;
    }
  }
}

/** Whole weights as long as they stay small. */
function scaleOf(limits: number[]): number {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  const common = limits.reduce((scale, limit) => (scale / divisor(scale, limit)) * limit, 1);
  return common <= 10_000 ? common : 1;
}
