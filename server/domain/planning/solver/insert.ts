// biome-ignore-all lint/style/noNonNullAssertion: the innermost loop of the search; indexes come from the model
import type { Board } from "./board";
import type { Random } from "./random";

/** Puts visits at their cheapest legal place. Keeps its scratch space between calls. */
export class Inserter {
  /** By day: the least that any doctor adds to the cost of a start. */
  private readonly leastOnDay: Int32Array;

  constructor(private readonly board: Board) {
    this.leastOnDay = new Int32Array(board.model.days);
  }

  /**
   * Cheapest first, and only what costs less than being without a place. `blink`: skips one place in so many now and then, which leads out of corners.
   * @returns whether a place was found
   */
  insert(visit: number, random?: Random, blink = 0): boolean {
    const { board } = this;
    const { model } = board;
    const { byCost, startCosts, doctors, doctorCosts, options, kind, unassignedCost } = model.visits[visit]!;
    const least = this.findLeast(visit);
    let best = unassignedCost;
    let [bestDoctor, bestStart, bestOption, bestOwn] = [-1, -1, -1, 0];
    for (let i = 0; i < byCost.length; i += 1) {
      const start = byCost[i]!;
      const cost = startCosts[start]!;
      if (cost + least >= best) break;
      const day = model.dayOf[start]!;
      if (cost + this.leastOnDay[day]! >= best) continue;
      for (let j = 0; j < doctors.length; j += 1) {
        const doctor = doctors[j]!;
        const own = cost + doctorCosts[j]!;
        if (own >= best) break;
        const total = own + board.loadPair * board.load[doctor * model.days + day]!;
        if (total >= best || kind.open[doctor * model.startCount + start] !== 1) continue;
        if (random && blink > 0 && random.share() < blink) continue;
        for (let o = 0; o < options.length; o += 1) {
          if (!board.fits(visit, doctor, start, options[o]!)) continue;
          best = total;
          [bestDoctor, bestStart, bestOption, bestOwn] = [doctor, start, options[o]!, own];
          break;
        }
      }
    }
    if (bestStart < 0) return false;
    board.put(visit, bestDoctor, bestStart, bestOption, bestOwn);
    return true;
  }

  private findLeast(visit: number): number {
    const { model, load, loadPair } = this.board;
    const { doctors, doctorCosts } = model.visits[visit]!;
    let leastOfAll = Number.MAX_SAFE_INTEGER;
    for (let day = 0; day < model.days; day += 1) {
      let least = Number.MAX_SAFE_INTEGER;
      for (let j = 0; j < doctors.length; j += 1) {
        const cost = doctorCosts[j]! + loadPair * load[doctors[j]! * model.days + day]!;
        if (cost < least) least = cost;
      }
      this.leastOnDay[day] = Math.min(least, 0x7fffffff);
      if (least < leastOfAll) leastOfAll = least;
    }
    return leastOfAll;
  }
}
