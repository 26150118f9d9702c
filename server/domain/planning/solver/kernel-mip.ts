// biome-ignore-all lint/style/noNonNullAssertion: indexes come from the model
import { Matrix } from "./matrix";
import type { Model, Spots } from "./model";
import { RoomRows } from "./room-rows";

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
  const moves = new Set(kernel.visits);
  const rows = new RoomRows(model, matrix, {
    places: kernel.places.map(({ visit, ...place }) => ({ ...place, kind: model.visits[visit]!.kind })),
    stay: { spots, visits: [...model.visits.keys()].filter((visit) => !moves.has(visit)) },
  });
  const visitRow = new Map(kernel.visits.map((visit) => [visit, matrix.addRow(1, 1)]));
  const loadRow = new Map<number, { row: number; visits: Set<number>; fixed: number }>();
  const { loadPair } = model.problem.weights;

  for (const { visit, doctor, start, option } of kernel.places) {
    const entries = [{ row: visitRow.get(visit)!, value: 1 }, ...rows.entriesOfVisit(visit, doctor, start, option)];
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
