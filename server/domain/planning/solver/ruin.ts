// biome-ignore-all lint/style/noNonNullAssertion: the inner loops of the search; indexes come from the model
import type { Board } from "./board";
import type { Random } from "./random";

/** Chooses which visits are taken off together: one that costs much, and those that stand in its way at a place that it might have. */
export class Ruin {
  /** The chosen; the first is the one it is about. */
  readonly chosen: number[] = [];
  private readonly isChosen: Uint8Array;

  constructor(
    private readonly board: Board,
    private readonly random: Random,
  ) {
    this.isChosen = new Uint8Array(board.model.visits.length);
  }

  /** @returns false when the visit it fell on has no possible place at all */
  choose(): boolean {
    for (const visit of this.chosen) this.isChosen[visit] = 0;
    this.chosen.length = 0;
    const { random, board } = this;
    const { visits } = board.model;
    const about = this.costlyVisit();
    this.add(about);
    const most = 2 + random.below(random.coin() ? 4 : 10);
    const way = random.below(4);
    const { byCost, doctors } = visits[about]!;
    if (byCost.length === 0) return false;
    const isHere = way === 0 && board.spots.start[about]! >= 0;
    const doctor = isHere ? board.spots.doctor[about]! : doctors[Math.floor(random.share() * random.share() * doctors.length)]!;
    const start = isHere ? board.spots.start[about]! : byCost[Math.floor(cubed(random.share()) * byCost.length)]!;
    this.addAround(about, doctor, start, way === 3);
    if (this.chosen.length > most) {
      for (let i = most; i < this.chosen.length; i += 1) this.isChosen[this.chosen[i]!] = 0;
      this.chosen.length = most;
    }
    if (this.chosen.length < 2 && visits.length > 1) while (this.chosen.length < 2) this.add(random.below(visits.length));
    return true;
  }

  private costlyVisit(): number {
    const { random, board } = this;
    const count = board.model.visits.length;
    let costly = random.below(count);
    if (random.coin())
      for (let i = 0; i < 6; i += 1) {
        const other = random.below(count);
        if (board.own[other]! > board.own[costly]!) costly = other;
      }
    return costly;
  }

  /** Visits of this doctor about this time, rivals for the devices, and with `second` those of another doctor who could do it. */
  private addAround(about: number, doctor: number, start: number, second: boolean): void {
    const { random, board } = this;
    const { at, dayOf, days, visits } = board.model;
    const { minutes, doctors, kind } = visits[about]!;
    const day = dayOf[start]!;
    const wide = random.below(7) * 15;
    const [from, until] = [at[start]! - wide, at[start]! + minutes + wide];
    this.addBetween(board.visitsOf[doctor * days + day]!, from, until);
    for (const option of kind.options)
      for (const { equipment } of option) this.addBetween(board.usersOf[equipment * days + day]!, from + (wide >> 1), until - (wide >> 1));
    if (second) this.addBetween(board.visitsOf[doctors[random.below(doctors.length)]! * days + day]!, from, until);
  }

  private addBetween(candidates: number[], from: number, until: number): void {
    const { at, visits } = this.board.model;
    for (const visit of candidates) {
      const start = at[this.board.spots.start[visit]!]!;
      if (start < until && from < start + visits[visit]!.minutes) this.add(visit);
    }
  }

  private add(visit: number): void {
    if (this.isChosen[visit] === 1) return;
    this.isChosen[visit] = 1;
    this.chosen.push(visit);
  }
}

const cubed = (share: number): number => share * share * share;
