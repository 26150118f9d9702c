import { setTimeout as sleep } from "node:timers/promises";
import { isDatabaseOutage } from "@/db/tx-error";
import type { Clock } from "@/server/clock";
import { logger } from "@/server/logger";
import type { WorkerStatus } from "./worker-status";

export type Tick = {
  /** There is more to do: the next tick follows at once. */
  isBusy: boolean;
  /** Code of what is away; the next tick waits, doubling up to 15 s. */
  outage?: string;
  /** Counts for the heartbeat row. */
  counts?: Record<string, number>;
};
export type TickContext = {
  signal: AbortSignal /** The tick before ended in an outage: try with little. */;
  isProbe: boolean;
  status: WorkerStatus;
};
export type Loop = {
  status: WorkerStatus;
  /** Wait between two ticks that found nothing, ± a quarter so that processes do not march in step. */
  pollMs: number;
  /** One bounded piece of work. */
  tick(context: TickContext): Promise<Tick>;
};
export type LoopDeps = { signal: AbortSignal; clock: Clock; random: () => number /** 500 */; outageBaseMs?: number };

const outageCapMs = 15_000;
/** Unplanned errors in a row after which the process gives up: what it has in memory may be wrong, a fresh one is not. */
const faultsMax = 20;

/** Ticks until it is told to stop; the running tick is finished. An outage is waited for, never a reason to end. Throws after 20 unplanned errors in a row. */
export async function runLoop(loop: Loop, deps: LoopDeps): Promise<void> {
  loop.status.pollMs = loop.pollMs;
  let outages = 0;
  let faults = 0;
  while (!deps.signal.aborted) {
    const tick = await tickOnce(loop, deps, outages > 0);
    faults = tick.fault ? faults + 1 : 0;
    if (tick.fault && faults >= faultsMax) throw tick.fault;
    outages = tick.outage ? outages + 1 : 0;
    if (tick.outage) loop.status.pause(tick.outage);
    else loop.status.progress(tick.counts);
    const waitMs = tick.outage ? Math.min((deps.outageBaseMs ?? 500) * 2 ** (outages - 1), outageCapMs) : tick.isBusy ? 0 : loop.pollMs;
    if (waitMs > 0) await sleep(waitMs * (0.75 + deps.random() / 2), undefined, { signal: deps.signal }).catch(() => {});
  }
}

async function tickOnce(loop: Loop, deps: LoopDeps, isProbe: boolean): Promise<Tick & { fault?: unknown }> {
  try {
    return await loop.tick({ signal: deps.signal, isProbe, status: loop.status });
  } catch (error) {
    if (isDatabaseOutage(error)) return { isBusy: false, outage: "DATABASE" };
    if (!deps.signal.aborted) logger.error({ worker: loop.status.role, err: faultName(error) }, "a tick failed in a way nobody planned");
    return { isBusy: false, outage: "FAULT", fault: error };
  }
}

/** Name and code only: a database error's text may hold values. The place is worth more than the words. */
export function faultName(error: unknown): { name: string; code?: string; at?: string } {
  const { name, code, stack, cause } = (error ?? {}) as { name?: string; code?: string; stack?: string; cause?: { code?: string } };
  const at = stack
    ?.split("\n")
    .find((line) => line.trim().startsWith("at "))
    ?.trim();
  return { name: name ?? typeof error, code: code ?? cause?.code, at };
}
