// biome-ignore-all lint/style/noNonNullAssertion: the history has an entry for each round of its length
import type { Board } from "./board";
import type { Random } from "./random";

/** One length for all sizes is a trap: a short history stays 0.7 % above the optimum of 200 visits, a long one wastes the time of 20. */
const lengths = [100, 1000, 3000, 10_000];
const lift = 1.5;

/**
 * Late acceptance: a plan may be worse than the last one as long as it is no worse than the one of some rounds ago. When nothing better has come for long,
 * the search goes back to its best plan with a longer memory, lifted so that it may first get worse.
 */
export class LateAcceptance {
  private phase = -1;
  private history = new Float64Array(0);
  private began = 0;
  private improved = 0;

  constructor(
    private readonly board: Board,
    private readonly random: Random,
  ) {
    this.begin(0);
  }

  begin(round: number): void {
    const { board } = this;
    this.phase += 1;
    this.began = round;
    this.history = new Float64Array(lengths[Math.min(this.phase, lengths.length - 1)]!).fill(board.cost);
    if (this.phase === 0) return;
    const most = lift * this.meanCost();
    for (let i = 0; i < this.history.length; i += 1) this.history[i] = board.cost + most * this.random.share();
  }

  isStalled(round: number): boolean {
    return round - Math.max(this.improved, this.began) > 10 * this.history.length + 5000;
  }

  accepts(before: number, now: number, round: number): boolean {
    return now <= before || now <= this.history[this.index(round)]!;
  }

  improvedAt(round: number): void {
    this.improved = round;
  }

  remember(cost: number, round: number): void {
    this.history[this.index(round)] = cost;
  }

  private index(round: number): number {
    return (round - this.began) % this.history.length;
  }

  /** Of the visits that have a place and cost something. */
  private meanCost(): number {
    const { own, spots, loadPair } = this.board;
    let [sum, count] = [0, 0];
    for (const [visit, cost] of own.entries())
      if (spots.start[visit]! >= 0 && cost > 0) {
        sum += cost;
        count += 1;
      }
    return count > 0 ? sum / count : loadPair * 4 + 1;
  }
}
