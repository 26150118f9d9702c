import { setTimeout as sleep } from "node:timers/promises";
import { isConnectionLoss, isDatabaseOutage, sqlstate, TxError } from "@/db/tx-error";
import type { InboxRuntime } from "./types";

export type Control = { signal: AbortSignal; heartbeat(): Promise<void>; onOutage?: (isOut: boolean) => void };

/** The consumer is to stop while the database is away: what is held is left to its lease. */
export class Stopped extends Error {
  readonly name = "Stopped";
}

/** The database answers, but this piece of work met locks or time-outs three times: it may be the work that is wrong. */
export class DatabaseBusy extends Error {
  readonly name = "DatabaseBusy";
}

const busyMax = 3;

/**
 * Runs database work until the database answers: while it is away the consumer pauses, keeps its partitions, and no attempt is used. Throws Stopped,
 * DatabaseBusy, or what is no outage.
 */
export async function withPatience<T>(runtime: InboxRuntime, control: Control, work: () => Promise<T>): Promise<T> {
  let busy = 0;
  for (let failures = 0; ; failures++) {
    try {
      const result = await work();
      if (failures > 0) control.onOutage?.(false);
      return result;
    } catch (error) {
      if (!isDatabaseOutage(error)) throw error;
      if (!isAway(error) && ++busy >= busyMax) throw new DatabaseBusy("locks or time-outs", { cause: error });
      control.onOutage?.(true);
      await sleep(runtime.random() * Math.min(100 * 2 ** failures, 5_000), undefined, { signal: control.signal }).catch(() => {});
      if (control.signal.aborted) throw new Stopped("stopped while the database was away", { cause: error });
      await control.heartbeat();
    }
  }
}

/** Not reached, going down, or out of connections or space: true for any work, so it says nothing about this one. */
function isAway(error: unknown): boolean {
  if (isConnectionLoss(error)) return true;
  if (error instanceof TxError && error.code !== "DEADLINE") return true; // CONNECTION_LOST, COMMIT_UNKNOWN
  return ["57P01", "57P02", "57P03", "53300", "53200", "53100"].includes(sqlstate(error) ?? "");
}
