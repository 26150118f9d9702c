// biome-ignore-all lint/style/noNonNullAssertion: indexes come from the model
import type { Board } from "./board";
import { Inserter } from "./insert";
import type { VisitModel } from "./model";

/** Needs devices, takes long, few can do it: placed first. */
export const hardness = ({ kind, minutes, doctors }: VisitModel): number =>
  (kind.options[0]?.length ? 10_000 : 0) + minutes * 10 - doctors.length;

/**
 * The first plan: whoever can stay stays, the rest goes to its cheapest place, hardest first.
 * @returns false when `shouldStop` said so in between; what is placed is legal all the same
 */
export function construct(board: Board, shouldStop: () => boolean): boolean {
  const { visits, problem } = board.model;
  for (const [visit, { known }] of problem.visits.entries()) if (known) stayIfPossible(board, visit);
  const order = [...visits.keys()].filter((visit) => board.spots.start[visit]! < 0);
  order.sort((a, b) => hardness(visits[b]!) - hardness(visits[a]!) || a - b);
  const inserter = new Inserter(board);
  for (const [done, visit] of order.entries()) {
    if ((done & 15) === 15 && shouldStop()) return false;
    inserter.insert(visit);
  }
  return true;
}

function stayIfPossible(board: Board, visit: number): void {
  const { problem, visits } = board.model;
  const { known } = problem.visits[visit]!;
  const { doctors, startCosts, options } = visits[visit]!;
  const start = known ? problem.starts.findIndex(({ at }) => at === known.at) : -1;
  if (!known || start < 0 || startCosts[start]! < 0 || !doctors.includes(known.doctor)) return;
  for (const option of options)
    if (board.fits(visit, known.doctor, start, option)) {
      board.put(visit, known.doctor, start, option, board.costOf(visit, known.doctor, start));
      return;
    }
}
