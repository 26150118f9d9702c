// biome-ignore-all lint/style/noNonNullAssertion: indexes come from the model
import { LagrangianBound } from "./lagrangian-bound";
import type { Model } from "./model";

/** Large enough that a price is not lost in what doubles round off. */
const perVisit = 1000;

/**
 * The least number of visits that any plan leaves without a place: the same relaxation, with nothing counted but places. A visit counts once, whatever its
 * priority. `from`: its prices are where this one begins; from nothing, with all places alike, it would hardly leave its start.
 */
export function placingBound(
  model: Model,
  from: LagrangianBound,
  options: { unassigned: number; rounds: number; shouldStop: () => boolean },
): number {
  const placing = new LagrangianBound(withoutOtherCosts(model));
  const scale = perVisit / Math.max(1, model.problem.weights.unassigned);
  for (const part of ["doctor", "clinic", "equipment"] as const)
    for (const [i, price] of from.prices[part].entries()) placing.prices[part][i] = price * scale;
  placing.improve({ rounds: options.rounds, cost: options.unassigned * perVisit, shouldStop: options.shouldStop, patience: 100 });
  return Math.max(0, Math.ceil(placing.value / perVisit - 1e-6));
}

function withoutOtherCosts(model: Model): Model {
  const { problem, visits } = model;
  return {
    ...model,
    problem: { ...problem, weights: { ...problem.weights, loadPair: 0 } },
    visits: visits.map((visit) => ({
      ...visit,
      startCosts: visit.startCosts.map((cost) => Math.min(cost, 0)),
      otherCost: 0,
      favourite: -1,
      unassignedCost: perVisit,
    })),
  };
}
