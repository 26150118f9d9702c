// biome-ignore-all lint/style/noNonNullAssertion: indexes come from the loops over the same arrays
import { cellsOf, layOutKinds } from "./lay-out-kinds";
import { type Fixed, type Kind, type Model, unlimited, type VisitModel } from "./model";
import type { Problem, ProblemVisit } from "./types";

/** Lays a problem out for the engines; the problem itself stays as it is. */
export function compile(problem: Problem): Model {
  const { kinds, kindOf, cells } = layOutKinds(problem);
  const dayOf = Int32Array.from(problem.starts, ({ day }) => day);
  const samePatient = visitsByPatient(problem);
  const fixed = fixedClaims(problem, cells);
  const limits = new Set([...kinds.flatMap((kind) => kind.limits), ...fixed.doctors.map(({ limit }) => limit)]);
  return {
    problem,
    kinds,
    visits: problem.visits.map((visit, index) => layOutVisit(problem, visit, kindOf[index]!, samePatient.get(visit.patient)!, index)),
    doctorCount: problem.doctors.length,
    equipmentCount: problem.equipment.length,
    startCount: problem.starts.length,
    cellCount: cells.length,
    days: problem.days,
    dayOf,
    at: Float64Array.from(problem.starts, ({ at }) => at),
    limits: [...limits].sort((a, b) => a - b),
    clinicLimit: problem.clinic.limit ?? unlimited,
    units: unitsByCell(problem, cells),
    fixedLoad: Int32Array.from(problem.doctors.flatMap(({ visitsByDay }) => visitsByDay)),
    fixed,
  };
}

function layOutVisit(problem: Problem, visit: ProblemVisit, kind: Kind, samePatient: number[], index: number): VisitModel {
  const { starts, weights } = problem;
  const { favourite, otherCost } = doctorWish(problem, visit);
  const costs = problem.doctors.map((_, doctor) => (doctor === favourite ? 0 : otherCost));
  const doctors = costs
    .map((_, doctor) => doctor)
    .filter((doctor) => isOpenAnywhere(kind, doctor, starts.length))
    .sort((a, b) => costs[a]! - costs[b]! || a - b);
  const { minutes, options } = problem.treatments[visit.treatment]!;
  const { taken } = problem.patients[visit.patient]!;
  const isPossible = (start: number, at: number) =>
    doctors.some((doctor) => kind.open[doctor * starts.length + start] === 1) &&
    !taken.some(({ from, until }) => from < at + minutes && at < until);
  const startCosts = Int32Array.from(starts, ({ at }, start) => (isPossible(start, at) ? startCost(problem, visit, start) : -1));
  const byCost = cheapestFirst(startCosts);
  const has = visit.stay?.option ?? -1;
  return {
    kind,
    doctors: Int32Array.from(doctors),
    doctorCosts: Int32Array.from(doctors, (doctor) => costs[doctor]!),
    favourite,
    otherCost,
    startCosts,
    byCost,
    startsOfDay: Array.from({ length: problem.days }, (_, day) => byCost.filter((start) => starts[start]!.day === day)),
    unassignedCost: weights.unassigned * visit.priority,
    options: Int32Array.from(options.keys()).sort((a, b) => Number(b === has) - Number(a === has) || a - b),
    samePatient: Int32Array.from(samePatient.filter((other) => other !== index)),
    minutes,
  };
}

/** What a place costs is the cost of its doctor plus the cost of its start; only the load of a doctor's day depends on other visits. */
function doctorWish({ weights }: Problem, { known, wish }: ProblemVisit): { favourite: number; otherCost: number } {
  if (known) return { favourite: known.doctor, otherCost: weights.doctorChanged };
  const favourite = wish?.doctor ?? -1;
  return { favourite, otherCost: favourite < 0 ? 0 : weights.otherDoctor };
}

function startCost({ starts, weights, treatments }: Problem, { known, wish, told, treatment }: ProblemVisit, start: number): number {
  const { at, day, clock } = starts[start]!;
  if (known) {
    if (known.at === at) return 0;
    const quarters = Math.ceil(Math.abs(clock - known.clock) / 15);
    const moved = told ? weights.movedTold : weights.movedUntold;
    return moved + weights.perDayMoved * Math.abs(day - known.day) + weights.perQuarterMoved * quarters;
  }
  if (!wish) return 0;
  const daysOff = wish.day === null ? 0 : Math.abs(day - wish.day);
  const isOutside = wish.window && (clock < wish.window.from || clock + treatments[treatment]!.minutes > wish.window.until);
  return weights.perDayOff * daysOff + (isOutside ? weights.outsideWindow : 0);
}

/** Sorted as plain numbers, which is ten times as fast as with a comparison. */
function cheapestFirst(costs: Int32Array): Int32Array {
  const keys = new Float64Array(costs.length);
  let count = 0;
  for (let start = 0; start < costs.length; start += 1) if (costs[start]! >= 0) keys[count++] = costs[start]! * costs.length + start;
  return Int32Array.from(keys.subarray(0, count).sort(), (key) => key % costs.length);
}

const isOpenAnywhere = ({ open }: Kind, doctor: number, count: number): boolean => {
  const first = open.indexOf(1, doctor * count);
  return first >= 0 && first < (doctor + 1) * count;
};

function visitsByPatient({ visits }: Problem): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (const [index, { patient }] of visits.entries()) groups.set(patient, [...(groups.get(patient) ?? []), index]);
  return groups;
}

function fixedClaims(problem: Problem, cells: number[]): Fixed {
  const of = (span: { from: number; until: number }) => cellsOf(cells, span.from, span.until);
  return {
    doctors: problem.doctors.flatMap(({ taken }, doctor) => taken.map((claim) => ({ doctor, limit: claim.limit, ...of(claim) }))),
    clinic: problem.clinic.taken.map(of),
    equipment: problem.equipment.flatMap(({ taken }, equipment) => taken.map((claim) => ({ equipment, ...of(claim) }))),
  };
}

function unitsByCell({ equipment }: Problem, cells: number[]): Int32Array {
  const units = new Int32Array(equipment.length * cells.length);
  for (const [index, device] of equipment.entries()) {
    units.fill(device.units, index * cells.length, (index + 1) * cells.length);
    for (const out of device.out) {
      const { from, until } = cellsOf(cells, out.from, out.until);
      for (let cell = from; cell < until; cell += 1) units[index * cells.length + cell]! -= out.units;
    }
  }
  return units.map((left) => Math.max(0, left));
}
