import { setTimeout as sleep } from "node:timers/promises";
import { type Db, withTx } from "@/db/client";
import type { Clock } from "@/server/clock";
import { testPoint } from "@/server/test-points";
import { callProvider } from "./call-provider";
import type { Circuit } from "./circuit";
import { type Claim, claimIntents } from "./claim-intents";
import { type Prepared, prepareSend } from "./prepare-send";
import type { NotificationProvider, SendResult } from "./provider";
import type { renderMessage } from "./render-message";
import { giveBack, type Settlement, settleIntent } from "./settle-intent";
import { attemptsMax, type GiveBackReason, type NotificationReason, outageGraceMs, retryDelayMs } from "./states";

export type Dispatcher = {
  provider: NotificationProvider;
  circuit: Circuit;
  clock: Pick<Clock, "monotonicMs">;
  /** Names this process in leases and delivery rows. */
  worker: string;
  random?: () => number;
  render?: typeof renderMessage;
};

/** Bounds of one pass. The lease outlives a call and its settlement, and is renewed before each call. */
export const dispatchBounds = {
  batchMax: 50,
  parallelMax: 5,
  leaseTtlMs: 30_000,
  /** A stopping process has 10 s: a call under way ends and is settled within them. */
  callTimeoutMs: 8_000,
  /** What must remain of the lease beyond the call: settling, a collection pause, a slow network. */
  leaseMarginMs: 5_000,
  /** More messages to one recipient in a minute are a fault somewhere: the rest is parked for STAFF. A family that books for all of them stays below. */
  recipientPerMinuteMax: 20,
};
export type DispatchBounds = typeof dispatchBounds;

const outcomes = ["sent", "suppressed", "retried", "exhausted", "unknown", "fenced", "givenBack"] as const;
export type DispatchCounts = { claimed: number } & Record<(typeof outcomes)[number], number>;

/**
 * One bounded pass: claim, then for each message look again, hand over outside any transaction, settle by fence. Does nothing while the provider's
 * circuit is open. `signal` stops it: what is not handed over yet is given back, what is under way is finished. Throws only what the database throws.
 */
export async function dispatchOnce(
  db: Db,
  dispatcher: Dispatcher,
  bounds: Partial<DispatchBounds> = {},
  signal?: AbortSignal,
): Promise<DispatchCounts> {
  const limits = { ...dispatchBounds, ...bounds };
  const counts = { claimed: 0, ...Object.fromEntries(outcomes.map((name) => [name, 0])) } as DispatchCounts;
  const batchMax = dispatcher.circuit.allowance(limits.batchMax);
  if (batchMax === 0 || signal?.aborted) return counts;

  const { provider, worker } = dispatcher;
  const options = { worker, provider, batchMax, leaseTtlMs: limits.leaseTtlMs };
  const { claims, lost } = await withTx(db, { worker }, (tx) => claimIntents(tx, options));
  counts.claimed = claims.length;
  counts.unknown += lost.unknown;
  counts.exhausted += lost.exhausted;
  await testPoint("dispatch.afterClaim", claims);

  const queue = claims.values();
  const drain = async () => {
    for (const claim of queue) counts[await deliver(db, dispatcher, limits, claim, signal)] += 1;
  };
  const lanes = await Promise.allSettled(Array.from({ length: Math.min(limits.parallelMax, claims.length) }, drain));
  for (const lane of lanes) if (lane.status === "rejected") throw lane.reason; // after all lanes ended: nothing is left running
  return counts;
}

async function deliver(
  db: Db,
  dispatcher: Dispatcher,
  limits: DispatchBounds,
  claim: Claim,
  signal?: AbortSignal,
): Promise<(typeof outcomes)[number]> {
  const { provider, circuit, clock, worker } = dispatcher;
  const actor = { worker, tenantGroupId: claim.tenantGroupId };
  const back = async (reason: GiveBackReason) =>
    (await withTx(db, actor, (tx) => giveBack(tx, claim, reason))) ? ("givenBack" as const) : ("fenced" as const);
  if (signal?.aborted) return back("STOPPING");
  if (circuit.state() === "OPEN") return back("CIRCUIT_OPEN");

  const preparedMs = clock.monotonicMs(); // before the renewal was asked for, so the lease ends no sooner than we think
  const { recipientPerMinuteMax } = limits;
  const look = { provider, leaseTtlMs: limits.leaseTtlMs, graceMs: outageGraceMs, recipientPerMinuteMax, render: dispatcher.render };
  const prepared = await withTx(db, actor, (tx) => prepareSend(tx, claim, look));
  await testPoint("dispatch.afterPrepare", { claim, next: prepared.next });
  if (prepared.next !== "SEND") return settle(db, dispatcher, claim, prepared, undefined, preparedMs);

  // A fence cannot stop a paused process from calling out; the time that is left can.
  const leftMs = preparedMs + limits.leaseTtlMs - clock.monotonicMs();
  if (leftMs <= limits.callTimeoutMs + limits.leaseMarginMs) return back("LEASE_SHORT");
  const result = await callProvider(provider, prepared.message, limits.callTimeoutMs);
  if (result.outcome === "UNKNOWN" || (result.outcome === "RETRY" && result.outage)) circuit.outage();
  else circuit.answered();
  await testPoint("dispatch.afterCall", { claim, outcome: result.outcome });
  return settle(db, dispatcher, claim, prepared, result, preparedMs);
}

async function settle(db: Db, dispatcher: Dispatcher, claim: Claim, prepared: Prepared, result: SendResult | undefined, sinceMs: number) {
  if (prepared.next === "FENCED") return "fenced";
  const end = decideEnd(prepared, result, claim.attempt, dispatcher.random);
  const attempt = {
    provider: dispatcher.provider.name,
    worker: dispatcher.worker,
    startedAt: prepared.startedAt,
    durationMs: dispatcher.clock.monotonicMs() - sinceMs,
  };
  const actor = { worker: dispatcher.worker, tenantGroupId: claim.tenantGroupId };
  const held = await persist(() => withTx(db, actor, (tx) => settleIntent(tx, claim, { ...attempt, ...end })));
  if (!held) return "fenced";
  return { SENT: "sent", SUPPRESSED: "suppressed", RETRY_WAIT: "retried", EXHAUSTED: "exhausted", UNKNOWN: "unknown" }[end.state] as
    | "sent"
    | "suppressed"
    | "retried"
    | "exhausted"
    | "unknown";
}

/** The last attempt of all, its answer lost, is UNKNOWN and not EXHAUSTED. */
const retried = (result: Extract<SendResult, { outcome: "RETRY" }>, end: End): End =>
  !result.mayHaveArrived ? end : end.state === "EXHAUSTED" ? { ...end, state: "UNKNOWN" } : { ...end, mayHaveArrived: true };

/** What a provider has answered is worth three tries: a settlement that is lost turns a message that arrived into UNKNOWN. */
async function persist<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 3) throw error;
      await sleep(200 * attempt);
    }
  }
}

type End = Pick<Settlement, "state" | "reason" | "reference" | "delayMs" | "refundAttempt" | "told" | "mayHaveArrived">;

/** What an attempt becomes. Pure. What may have arrived in an earlier attempt cannot end as if it had not been sent. */
export function decideEnd(
  prepared: Exclude<Prepared, { next: "FENCED" }>,
  result: SendResult | undefined,
  attempt: number,
  random?: () => number,
): End {
  const end = endOf(prepared, result, attempt, random);
  return prepared.mayHaveArrived && (end.state === "SUPPRESSED" || end.state === "EXHAUSTED") ? { ...end, state: "UNKNOWN" } : end;
}

function endOf(
  prepared: Exclude<Prepared, { next: "FENCED" }>,
  result: SendResult | undefined,
  attempt: number,
  random?: () => number,
): End {
  const again = (reason: NotificationReason, refundAttempt = false): End =>
    refundAttempt || attempt < attemptsMax
      ? { state: "RETRY_WAIT", reason, delayMs: retryDelayMs(attempt, random), refundAttempt }
      : { state: "EXHAUSTED", reason };
  if (prepared.next === "SUPPRESS") return { state: "SUPPRESSED", reason: prepared.reason };
  if (prepared.next === "PARK") return { state: "EXHAUSTED", reason: prepared.reason };
  if (prepared.next === "RENDER_FAILED" || !result) return again("RENDER_FAILED");
  switch (result.outcome) {
    case "SENT":
      return { state: "SENT", reason: null, reference: result.reference, told: prepared.told };
    case "RETRY":
      return retried(result, again(result.reason, result.outage && prepared.isYoung));
    case "REJECT":
      return { state: "EXHAUSTED", reason: result.reason };
    case "UNKNOWN":
      return { state: "UNKNOWN", reason: result.reason };
  }
}
