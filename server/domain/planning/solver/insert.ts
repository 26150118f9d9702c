// biome-ignore-all lint/style/noNonNullAssertion: the innermost loop of the search; indexes come from the model
import type { Board } from "./board";
import type { Random } from "./random";

type Found = { total: number; doctor: number; start: number; option: number; own: number };

/** Puts visits at their cheapest legal place. Keeps its scratch space between calls. */
export class Inserter {
  /** By day and position in the visit's doctors: the least that a place there can cost, the load of the day included. */
  private readonly least: Int32Array;
  private readonly found: Found = { total: 0, doctor: -1, start: -1, option: -1, own: 0 };

  constructor(private readonly board: Board) {
    this.least = new Int32Array(board.model.days * board.model.doctorCount);
  }

  /**
   * The day of a doctor that may be cheapest first, and only what costs less than being without a place. `blink`: skips one place in so many now and then,
   * which leads out of corners.
   * @returns whether a place was found
   */
  insert(visit: number, random?: Random, blink = 0): boolean {
    const { board, least, found } = this;
    const { doctors, unassignedCost } = board.model.visits[visit]!;
    found.total = unassignedCost;
    found.start = -1;
    const count = this.findLeast(visit);
    for (;;) {
      let next = -1;
      let lowest = found.total;
      for (let i = 0; i < count; i += 1)
        if (least[i]! < lowest) {
          lowest = least[i]!;
          next = i;
        }
      if (next < 0) break;
      least[next] = none;
      this.lookAt(visit, Math.floor(next / doctors.length), next % doctors.length, random, blink);
    }
    if (found.start < 0) return false;
    board.put(visit, found.doctor, found.start, found.option, found.own);
    return true;
  }

  /** The cheapest place of one day of a doctor: starts come in the order of their costs, so the first that fits. */
  private lookAt(visit: number, day: number, position: number, random: Random | undefined, blink: number): void {
    const { board, found } = this;
    const { startsOfDay, startCosts, doctors, doctorCosts, options, kind } = board.model.visits[visit]!;
    const doctor = doctors[position]!;
    const base = doctor * board.model.startCount;
    const load = board.loadPair * board.load[doctor * board.model.days + day]!;
    const starts = startsOfDay[day]!;
    for (let i = 0; i < starts.length; i += 1) {
      const start = starts[i]!;
      const own = startCosts[start]! + doctorCosts[position]!;
      if (own + load >= found.total) return;
      if (kind.open[base + start] !== 1) continue;
      if (random && blink > 0 && random.share() < blink) continue;
      for (let o = 0; o < options.length; o += 1) {
        if (!board.fits(visit, doctor, start, options[o]!)) continue;
        found.total = own + load;
        found.doctor = doctor;
        found.start = start;
        found.option = options[o]!;
        found.own = own;
        return;
      }
    }
  }

  private findLeast(visit: number): number {
    const { least } = this;
    const { model, load, loadPair } = this.board;
    const { doctors, doctorCosts, startsOfDay, startCosts } = model.visits[visit]!;
    let count = 0;
    for (let day = 0; day < model.days; day += 1) {
      const first = startsOfDay[day]!.length > 0 ? startCosts[startsOfDay[day]![0]!]! : none;
      for (let j = 0; j < doctors.length; j += 1) {
        const cost = first + doctorCosts[j]! + loadPair * load[doctors[j]! * model.days + day]!;
        least[count++] = Math.min(cost, none);
      }
    }
    return count;
  }
}

const none = 0x7fffffff;
