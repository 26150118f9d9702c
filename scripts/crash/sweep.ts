import { cutOnce, type Lane, type Run } from "./cut-once";
import type { Operation } from "./operation";

export type Tally = { points: number; uncut: number; outcomes: Record<string, number>; violations: string[] };
/** A place of the operation: before or after the n-th message that goes to (front) or comes from (back) the server in its n-th transaction. */
export type Point = { nthTransaction: number; side: "front" | "back"; when: "before" | "after"; n: number };
type Length = { front: number; back: number };
/** Messages of each transaction, in order: what every uncut run had, and the most that one had. */
export type Lengths = { least: Length[]; most: Length[] };

const sides = ["front", "back"] as const;
const learningRuns = 3;
const triesMax = 3;

/**
 * Cuts every transaction of an operation before and after each of its messages. Uncut runs say first how many there are; then each point has a run of
 * its own, and one run behind the end of each transaction, and of the last one, must stay uncut. A point that every uncut run had and that cannot be
 * met is an error: it would be proven only by name. `step` > 1 samples every step-th point and asks only for the last end.
 */
export async function sweepOperation(lanes: Lane[], subject: string, operation: Operation, step = 1): Promise<Tally> {
  const tally: Tally = { points: 0, uncut: 0, outcomes: {}, violations: [] };
  const cut = async (lane: Lane, point: Point): Promise<Run> => {
    const run = await cutOnce(lane, subject, operation, point);
    tally.outcomes[run.outcome] = (tally.outcomes[run.outcome] ?? 0) + 1;
    tally.violations.push(...run.violations.map((violation) => `${nameOf(operation, point)}: ${violation}`));
    if (run.seen.cut) tally.points += 1;
    else tally.uncut += 1;
    return run;
  };

  const learned: Length[][] = [];
  const learn = { nthTransaction: 1, side: "front", when: "before", n: 0 } as const;
  await inLanes(lanes, Array.from({ length: learningRuns }), async (lane) => {
    learned.push((await cut(lane, learn)).seen.transactions);
  });
  const lengths = lengthsOf(learned);
  await inLanes(lanes, pointsOf(lengths, step), async (lane, point) => {
    const mustBeMet = isAlwaysThere(lengths, point);
    for (let tries = 1; tries <= (mustBeMet ? triesMax : 1); tries++) if ((await cut(lane, point)).seen.cut) return;
    if (mustBeMet) tally.violations.push(`${nameOf(operation, point)}: this point could not be met`);
  });
  await inLanes(lanes, step === 1 ? endsOf(lengths) : endsOf(lengths).slice(-1), async (lane, point) => {
    for (let { n } = point; (await cut(lane, { ...point, n })).seen.cut; n++); // longer than it was: goes on to the end
  });
  return tally;
}

/** What several uncut runs had in common, and the longest of each: the driver's pipelining makes them differ a little. */
export function lengthsOf(runs: Length[][]): Lengths {
  const transactions = Math.max(0, ...runs.map((run) => run.length));
  const each = (pick: (...counts: number[]) => number) =>
    Array.from({ length: transactions }, (_, i) => ({
      front: pick(...runs.map((run) => run[i]?.front ?? 0)),
      back: pick(...runs.map((run) => run[i]?.back ?? 0)),
    }));
  return { least: each(Math.min), most: each(Math.max) };
}

/** Every point, or every `step`-th. */
export function pointsOf({ most }: Lengths, step = 1): Point[] {
  const points = most.flatMap((length, index) =>
    sides.flatMap((side) =>
      (["before", "after"] as const).flatMap((when) =>
        Array.from({ length: length[side] }, (_, i): Point => ({ nthTransaction: index + 1, side, when, n: i + 1 })),
      ),
    ),
  );
  return points.filter((_, index) => index % step === 0);
}

/** One behind the last message of each transaction, and one behind the last transaction. */
export function endsOf({ most }: Lengths): Point[] {
  const ends = most.flatMap((length, index) =>
    sides.map((side): Point => ({ nthTransaction: index + 1, side, when: "before", n: length[side] + 1 })),
  );
  return [...ends, { nthTransaction: most.length + 1, side: "front", when: "before", n: 1 }];
}

const isAlwaysThere = ({ least }: Lengths, { nthTransaction, side, n }: Point) => n <= (least[nthTransaction - 1]?.[side] ?? 0);

const nameOf = (operation: Operation, { nthTransaction, side, when, n }: Point) =>
  n === 0 ? `${operation.name}, uncut` : `${operation.name}, transaction ${nthTransaction}, ${when} ${side} message ${n}`;

async function inLanes<T>(lanes: Lane[], items: T[], work: (lane: Lane, item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const drain = async (lane: Lane) => {
    for (const item of queue) await work(lane, item);
  };
  await Promise.all(lanes.map(drain));
}
