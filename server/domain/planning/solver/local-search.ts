// biome-ignore-all lint/style/noNonNullAssertion: the inner loops of the search; indexes come from the model
import type { Board } from "./board";
import { hardness } from "./construct";
import { Inserter } from "./insert";
import { LateAcceptance } from "./late-acceptance";
import type { Spots } from "./model";
import type { Random } from "./random";
import { Ruin } from "./ruin";

export type SearchOptions = {
  rounds: number;
  /** No plan costs less: the search ends when it is reached. */
  bound: number;
  shouldStop: () => boolean;
  onBetter?: () => void;
};

/**
 * Ruin and recreate: takes a few visits off, puts each back at its cheapest legal place in one of several orders, and keeps the new plan by late
 * acceptance. Starts from what is on the board and goes on where it was; the same board, generator and rounds give the same plan.
 */
export class LocalSearch {
  /** The best plan so far. */
  cost: number;
  spots: Spots;
  rounds = 0;
  private readonly acceptance: LateAcceptance;
  private readonly step: Step;

  constructor(
    private readonly board: Board,
    random: Random,
  ) {
    this.cost = board.cost;
    this.spots = board.copy();
    this.acceptance = new LateAcceptance(board, random);
    this.step = new Step(board, random);
  }

  run({ rounds, bound, shouldStop, onBetter }: SearchOptions): "BOUND" | "ROUNDS" | "STOPPED" {
    const { board, acceptance, step } = this;
    const until = this.rounds + rounds;
    if (board.model.visits.length === 0) return "BOUND";
    while (this.rounds < until) {
      if (this.cost <= bound) return "BOUND";
      this.rounds += 1;
      if ((this.rounds & 63) === 0 && shouldStop()) return "STOPPED";
      if (acceptance.isStalled(this.rounds)) {
        board.restore(this.spots);
        acceptance.begin(this.rounds);
      }
      const before = board.cost;
      if (!step.tryOut()) continue;
      if (!acceptance.accepts(before, board.cost, this.rounds)) step.undo();
      else if (board.cost < this.cost) {
        this.keep();
        onBetter?.();
      }
      acceptance.remember(board.cost, this.rounds);
    }
    return this.cost <= bound ? "BOUND" : "ROUNDS";
  }

  /** Goes on from a better plan that was found elsewhere. */
  adopt(spots: Spots): void {
    this.board.restore(spots);
    this.keep();
  }

  private keep(): void {
    this.cost = this.board.cost;
    this.spots = this.board.copy();
    this.acceptance.improvedAt(this.rounds);
  }
}

/** One change that can be taken back. */
class Step {
  private readonly ruin: Ruin;
  private readonly inserter: Inserter;
  private readonly hardness: number[];
  private readonly key: Float64Array;
  private before: { visit: number; doctor: number; start: number; option: number; own: number }[] = [];

  constructor(
    private readonly board: Board,
    private readonly random: Random,
  ) {
    this.ruin = new Ruin(board, random);
    this.inserter = new Inserter(board);
    this.hardness = board.model.visits.map(hardness);
    this.key = new Float64Array(board.model.visits.length);
  }

  tryOut(): boolean {
    const { board, random, ruin, key } = this;
    if (!ruin.choose()) return false;
    const { start, doctor, option } = board.spots;
    this.before = ruin.chosen.map((visit) => {
      return { visit, doctor: doctor[visit]!, start: start[visit]!, option: option[visit]!, own: board.own[visit]! };
    });
    const order = random.below(4);
    for (const { visit, own } of this.before) {
      if (order === 0) key[visit] = random.share();
      else if (order === 1) key[visit] = -this.hardness[visit]!;
      else if (order === 2) key[visit] = own;
      else key[visit] = visit === ruin.chosen[0] ? -1 : random.share();
    }
    for (const { visit } of this.before) board.take(visit);
    const visits = ruin.chosen.toSorted((a, b) => key[a]! - key[b]! || a - b);
    const blink = random.coin() ? 0.02 : 0;
    for (const visit of visits) this.inserter.insert(visit, random, blink);
    return true;
  }

  undo(): void {
    for (const { visit } of this.before) this.board.take(visit);
    for (const { visit, doctor, start, option, own } of this.before) if (start >= 0) this.board.put(visit, doctor, start, option, own);
  }
}
