// biome-ignore-all lint/style/noNonNullAssertion: indexes come from the model
import type { Entry, Matrix } from "./matrix";
import { type Kind, type Model, type Spots, unlimited } from "./model";

/** Where a visit of this kind may be put. */
export type KindPlace = { kind: Kind; doctor: number; start: number; option: number };

/** The rows that hold the limits, made where a column needs them, with what others hold taken off. */
export class RoomRows {
  /** [doctor × days + day]: visits that are not moved. */
  readonly fixedLoad: Int32Array;
  private readonly rows = new Map<string, number>();
  private readonly scale: number;
  private readonly room: { doctor: Float64Array; clinic: Float64Array; equipment: Float64Array };
  private readonly begins: { doctor: Uint8Array; clinic: Uint8Array; equipment: Uint8Array };

  constructor(
    private readonly model: Model,
    private readonly matrix: Matrix,
    { places, stay }: { places: KindPlace[]; stay: { spots: Spots; visits: number[] } },
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
    this.holdFixed(stay);
    for (const { kind, doctor, start, option } of places) {
      this.begins.doctor[doctor * cellCount + kind.claimFrom[start]!] = 1;
      this.begins.clinic[kind.visitFrom[start]!] = 1;
      for (const { equipment, from } of kind.options[option]!) this.begins.equipment[equipment * cellCount + from[start]!] = 1;
    }
  }

  entriesOf({ kind, doctor, start, option }: KindPlace): Entry[] {
    const entries = this.over("doctor", doctor, kind.claimFrom[start]!, kind.claimUntil[start]!, this.scale / kind.limits[doctor]!);
    if (this.model.clinicLimit < unlimited) entries.push(...this.over("clinic", 0, kind.visitFrom[start]!, kind.visitUntil[start]!, 1));
    for (const { equipment, units, from, until } of kind.options[option]!)
      entries.push(...this.over("equipment", equipment, from[start]!, until[start]!, units));
    return entries;
  }

  /** With the rows that keep a patient in one place at a time. */
  entriesOfVisit(visit: number, doctor: number, start: number, option: number): Entry[] {
    const { kind, samePatient } = this.model.visits[visit]!;
    const entries = this.entriesOf({ kind, doctor, start, option });
    if (samePatient.length > 0)
      for (let cell = kind.visitFrom[start]!; cell < kind.visitUntil[start]!; cell += 1)
        if (this.begins.clinic[cell] === 1)
          entries.push({ row: this.row(`patient ${this.model.problem.visits[visit]!.patient} ${cell}`, 1), value: 1 });
    return entries;
  }

  /** Only where something begins or room gets less: at any other cell, whoever is there was there before. */
  private over(part: "doctor" | "clinic" | "equipment", index: number, from: number, until: number, value: number): Entry[] {
    const base = index * this.model.cellCount;
    const [room, begins] = [this.room[part], this.begins[part]];
    const entries: Entry[] = [];
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

  private holdFixed({ spots: { start, doctor, option }, visits }: { spots: Spots; visits: number[] }): void {
    const { model, room, scale } = this;
    const { cellCount, fixed } = model;
    const take = (part: Float64Array, base: number, from: number, until: number, value: number) => {
      for (let cell = base + from; cell < base + until; cell += 1) part[cell]! -= value;
    };
    for (const claim of fixed.doctors) take(room.doctor, claim.doctor * cellCount, claim.from, claim.until, scale / claim.limit);
    for (const { from, until } of fixed.clinic) take(room.clinic, 0, from, until, 1);
    for (const { equipment, from, until } of fixed.equipment) take(room.equipment, equipment * cellCount, from, until, 1);
    for (const visit of visits) {
      const at = start[visit]!;
      if (at < 0) continue;
      const { kind } = model.visits[visit]!;
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
