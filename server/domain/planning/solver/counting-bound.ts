// biome-ignore-all lint/style/noNonNullAssertion: indexes come from the model
import type { Model, VisitModel } from "./model";

export type CountingBound = {
  total: number /** By visit: the least that it costs by itself, wherever. */;
  own: number[];
  unassigned: number;
};

/**
 * A bound without any search: each visit at the cheapest of its possible places, as if it were alone, and the visits spread over the days of the doctors
 * as evenly as can be. Visits without any possible place count as unassigned and spread nowhere.
 */
export function countingBound(model: Model): CountingBound {
  const { visits, fixedLoad, problem } = model;
  const own = visits.map((visit) => cheapestPlace(model, visit));
  // leaving a visit out saves at most the pairs that it makes; only where that is worth less than its place may it be counted as there
  const mostSaved = problem.weights.loadPair * (visits.length + Math.max(0, ...fixedLoad));
  const isCounted = visits.map(({ unassignedCost }, visit) => own[visit]! < unassignedCost && own[visit]! + mostSaved <= unassignedCost);
  return {
    own,
    total: own.reduce((sum, cost) => sum + cost, 0) + leastLoadCost(model, isCounted),
    unassigned: visits.filter(({ byCost }) => byCost.length === 0).length,
  };
}

function cheapestPlace({ startCount }: Model, { byCost, startCosts, doctors, doctorCosts, kind, unassignedCost }: VisitModel): number {
  let best = unassignedCost;
  for (const start of byCost) {
    if (startCosts[start]! >= best) break;
    for (let j = 0; j < doctors.length; j += 1) {
      const cost = startCosts[start]! + doctorCosts[j]!;
      if (cost < best && kind.open[doctors[j]! * startCount + start] === 1) best = cost;
    }
  }
  return best;
}

/** Doctors between whom visits can be shared are one pool; within it the next visit always joins the least full day. */
function leastLoadCost(model: Model, isCounted: boolean[]): number {
  const loads = [...model.fixedLoad];
  for (const { doctors, count } of pools(model, isCounted)) {
    const buckets = doctors.flatMap((doctor) => openDays(model, doctor).map((day) => doctor * model.days + day));
    for (let i = 0; i < count && buckets.length > 0; i += 1) {
      let least = buckets[0]!;
      for (const bucket of buckets) if (loads[bucket]! < loads[least]!) least = bucket;
      loads[least]! += 1;
    }
  }
  return model.problem.weights.loadPair * loads.reduce((sum, visits) => sum + (visits * (visits - 1)) / 2, 0);
}

function pools(model: Model, isCounted: boolean[]): { doctors: number[]; count: number }[] {
  const poolOf = Array.from({ length: model.doctorCount }, (_, doctor) => doctor);
  for (const { doctors } of model.visits) {
    const joined = new Set([...doctors].map((doctor) => poolOf[doctor]!));
    const target = Math.min(...joined);
    for (const [doctor, pool] of poolOf.entries()) if (joined.has(pool)) poolOf[doctor] = target;
  }
  return [...new Set(poolOf)].map((pool) => ({
    doctors: [...poolOf.keys()].filter((doctor) => poolOf[doctor] === pool),
    count: model.visits.filter(({ doctors }, visit) => isCounted[visit] && poolOf[doctors[0] ?? -1] === pool).length,
  }));
}

function openDays({ kinds, startCount, dayOf, days }: Model, doctor: number): number[] {
  const isOpen = new Uint8Array(days);
  for (const { open } of kinds)
    for (let start = 0; start < startCount; start += 1) if (open[doctor * startCount + start] === 1) isOpen[dayOf[start]!] = 1;
  return [...isOpen.keys()].filter((day) => isOpen[day] === 1);
}
