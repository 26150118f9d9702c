import { describe, expect, it } from "vitest";
import { TxError } from "@/db/tx-error";
import { systemClock } from "@/server/clock";
import { type Loop, runLoop, type Tick } from "./run-loop";
import { WorkerStatus } from "./worker-status";

/** Ticks as told; the last one stops the loop. */
function loopOf(ticks: (() => Tick)[]) {
  const stop = new AbortController();
  const status = new WorkerStatus("test", "test:1", systemClock);
  const probes: boolean[] = [];
  const states: string[] = [];
  const loop: Loop = {
    status,
    pollMs: 1,
    tick: async ({ isProbe }) => {
      probes.push(isProbe);
      states.push(status.toBeat().state);
      const next = ticks.shift();
      if (ticks.length === 0) stop.abort();
      return next ? next() : { isBusy: false };
    },
  };
  return { run: () => runLoop(loop, { signal: stop.signal, clock: systemClock, random: () => 0 }), probes, states, status };
}
const quiet = (): Tick => ({ isBusy: false, counts: { done: 1 } });
const fail = (error: unknown) => () => {
  throw error;
};

describe("a worker's loop", () => {
  it("pauses during an outage, then probes, then runs on", async () => {
    const { run, probes, states, status } = loopOf([quiet, () => ({ isBusy: false, outage: "UNAVAILABLE" }), quiet, quiet]);
    await run();
    expect(probes).toEqual([false, false, true, false]);
    expect(states).toEqual(["RUNNING", "RUNNING", "PAUSED", "RUNNING"]);
    expect(status.toBeat().details).toEqual({ done: 3 });
  });

  it("a database that is away is an outage, not a fault", async () => {
    const { run, states } = loopOf([fail(new TxError("CONNECTION_LOST", "gone")), quiet]);
    await run();
    expect(states).toEqual(["RUNNING", "PAUSED"]);
  });

  it("gives up after twenty unplanned errors in a row, so that a fresh process can start", async () => {
    let ticks = 0;
    const status = new WorkerStatus("test", "test:1", systemClock);
    const tick = async () => {
      ticks += 1;
      throw new Error("a bug");
    };
    const deps = { signal: new AbortController().signal, clock: systemClock, random: () => 0, outageBaseMs: 0 };
    await expect(runLoop({ status, pollMs: 1, tick }, deps)).rejects.toThrow("a bug");
    expect(ticks).toBe(20);
  });

  it("without progress it is stuck; a pause is progress, because it knows what it waits for", () => {
    let now = 0;
    const status = new WorkerStatus("test", "test:1", { monotonicMs: () => now });
    now = 59_000;
    expect([status.isStuck, status.isReady]).toEqual([false, true]);
    now = 61_000;
    expect([status.isStuck, status.isReady]).toEqual([true, false]);
    status.pause("LOG");
    expect([status.isStuck, status.isReady]).toEqual([false, false]);
    status.pollMs = 60_000;
    now += 150_000;
    expect(status.isStuck).toBe(false);
  });
});
