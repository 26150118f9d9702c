import { doneOnce, nothingLost, recordsHold, toldOnce } from "@/scripts/kill/check";
import { type Load, startLoad } from "@/scripts/kill/load";
import { recovery, untilQuiet } from "@/scripts/kill/recovery";
import { recoveryMaxMs } from "@/scripts/kill/scenario";
import type { Stand } from "@/scripts/kill/stand";
import type { Steps } from "@/server/domain/drills/drill-progress";

type Shared = "startProduct" | "book" | "catchUp";
export type Booking = { load: Load; sinceMs: number };
const perSecond = 6;
const none = "no fault";
/** Faults in words, for a comparison with none. */
export const told = (faults: string[]): string => faults.join("; ") || none;

/** What every drill on a throw-away set-up begins with: the whole product, and callers who book, move and cancel all the time. */
export async function beginBooking(stand: Stand, progress: Steps<Shared>): Promise<Load> {
  await progress.step("startProduct", async () => ({ facts: { log: stand.log, processes: stand.processes.length } }));
  const load = startLoad({ ...stand, perSecond, next: stand.nextVisit });
  await progress.step("book", async () => {
    const wentThroughMs = await recovery(stand, load);
    if (!Number.isFinite(wentThroughMs)) throw new Error("no booking went all the way");
    return { facts: { commands: load.acknowledged.length } };
  });
  return load;
}

/** Waits until a booking made after `sinceMs` has gone all the way, ends the load, and waits until nothing is under way. */
export async function catchUp(stand: Stand, progress: Steps<Shared>, { load, sinceMs }: Booking): Promise<void> {
  await progress.step("catchUp", async () => {
    const recoveredMs = await recovery(stand, load, sinceMs);
    await load.stop(recoveryMaxMs);
    const open = await untilQuiet(stand);
    if (open) throw new Error(open);
    return { facts: { recoveredMs: Math.round(recoveredMs), commands: load.acknowledged.length, retries: load.retries() } };
  });
}

/** What must hold at the end of each of them. */
export async function checkRecords(
  stand: Stand,
  progress: { check(code: "nothingLost" | "eachDoneOnce" | "recordsHold", expected: string, found: string): void },
  load: Load,
): Promise<void> {
  progress.check("nothingLost", none, told(await nothingLost(stand, load)));
  progress.check("eachDoneOnce", none, told([...(await doneOnce(stand)), ...(await toldOnce(stand))]));
  progress.check("recordsHold", none, told(await recordsHold(stand)));
}

/** The load ends, whatever became of the drill. */
export async function withLoad(load: Load, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } finally {
    await load.stop(5_000);
  }
}
