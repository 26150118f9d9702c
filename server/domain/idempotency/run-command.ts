import { setTimeout as sleep } from "node:timers/promises";
import { type Tx, type TxOptions, withRead, withSavepoint, withTx } from "@/db/client";
import { isDatabaseOutage, needsRestart, TxError } from "@/db/tx-error";
import { AppError, problemBody } from "@/server/app-error";
import { systemClock, toIso } from "@/server/clock";
import type { AuditEntry } from "@/server/domain/audit/append-audit-entry";
import { newUuid } from "@/server/ids";
import { testPoint } from "@/server/test-points";
import { compareFingerprint } from "./fingerprint";
import { callerOf } from "./key";
import { recordCall } from "./record-call";
import { type AnswerToStore, storeAnswer } from "./store-answer";
import { KeyBusy, readKey, type StoredKey, takeKey } from "./take-key";
import type { Answer, Command, CommandAnswer, CommandDeps } from "./types";
import { processWaiters, waiterPlace } from "./waiters";

/** Domain work: part of the command's transaction, inside a savepoint. A refusal is thrown as AppError. */
export type Work = (tx: Tx, context: { commandId: string }) => Promise<Answer>;

/** Thrown by work whose facts were overtaken by a rival that has committed meanwhile. */
export class MetRival extends Error {
  readonly name = "MetRival";
  constructor(readonly refusal: AppError) {
    super(refusal.code);
  }
}

/** For the one command whose transaction is another than the usual. */
export type CommandDoor = {
  tx?: TxOptions;
  /** The transaction's first statement, before the key is taken. */
  before?: (tx: Tx) => Promise<void>;
  /** An answer, not stored under the key, in place of `contention`: the database asked for a new attempt until there were no more. */
  onExhausted?: (error: unknown) => Promise<Answer>;
};

type Attempt = { outcome: "DONE"; answer: CommandAnswer } | { outcome: "REUSED" } | { outcome: "BUSY" };

/**
 * The boundary that every state-changing call passes, HTTP and tRPC alike: one transaction takes the key, does the work in a savepoint, writes
 * audit entry and call, and stores the answer. A committed key always has its answer, so a crash at any statement leaves nothing behind.
 *
 * Refusals that the work decided from the data (409, 412, 422) are answers: stored, returned and replayed. Everything else it throws undoes the
 * transaction and leaves the key free. The caller has authenticated and authorised the actor before.
 *
 * Throws AppError: idempotency-key-reused, idempotency-in-progress (with Retry-After), idempotency-overloaded, outcome-unknown,
 * contention, database-unavailable, and what the work threw beside stored refusals. Client aborts are not looked at: a command that started ends.
 */
export async function runCommand(deps: CommandDeps, command: Command, work: Work, door: CommandDoor = {}): Promise<CommandAnswer> {
  const startedMs = systemClock.monotonicMs();
  const commandId = newUuid(); // becomes the command's when this call is the one that takes the key
  const attempt = () => attemptOnce(deps, command, commandId, work, startedMs, door);
  const first = await attempt();
  return conclude(deps, first.outcome === "BUSY" ? await waitForOwner(deps, command, attempt, startedMs) : first);
}

async function attemptOnce(
  deps: CommandDeps,
  command: Command,
  commandId: string,
  work: Work,
  startedMs: number,
  door: CommandDoor,
): Promise<Attempt> {
  const elapsedMs = () => systemClock.monotonicMs() - startedMs;
  const inTransaction = async (tx: Tx): Promise<Attempt> => {
    await door.before?.(tx);
    const key = await takeKey(tx, deps, command, commandId);
    if (key.outcome === "BUSY") return key;
    if (key.outcome === "STORED") return answerFromStore(tx, deps, command, key.stored, elapsedMs());
    await testPoint("command.keyTaken", { commandId, tx });
    const answer = await workOrRefusal(tx, command, commandId, work);
    await testPoint("command.worked", { commandId });
    await storeAnswer(tx, command, commandId, answer, elapsedMs());
    await testPoint("command.answered", { commandId });
    const { status, body, location, etag } = answer;
    return { outcome: "DONE", answer: { status, body, location, etag, commandId, replayed: false, expiresAt: toIso(key.expiresAt) } };
  };
  try {
    return await withTx(deps.db, command.actor, inTransaction, door.tx);
  } catch (error) {
    if (error instanceof KeyBusy) return { outcome: "BUSY" };
    if (error instanceof TxError && error.code === "COMMIT_UNKNOWN") return answerAfterDoubt(deps, command, commandId);
    if (needsRestart(error) && door.onExhausted) return { outcome: "DONE", answer: unstored(await door.onExhausted(error), commandId) };
    if (needsRestart(error)) throw new AppError("contention", sameKey, {}, 1); // the door has run it again and again: no outage, and no refusal
    if (isDatabaseOutage(error)) throw new AppError("database-unavailable", sameKey, {}, 1);
    throw error;
  }
}

/** The key stays free: the next call under it is a first one. */
const unstored = ({ status, body }: Answer, commandId: string): CommandAnswer => ({
  status,
  body: JSON.stringify(body),
  location: null,
  etag: null,
  commandId,
  replayed: false,
  expiresAt: systemClock.now().toString(),
});

const sameKey = "Send the same request with the same key.";

/** A known key: the stored answer when the call is the same command, and a reuse when it is another. */
async function answerFromStore(tx: Tx, deps: CommandDeps, command: Command, stored: StoredKey, durationMs: number): Promise<Attempt> {
  const { commandId } = stored;
  switch (compareFingerprint(deps.digestKeys, command.fingerprint, stored.fingerprint)) {
    case "SAME":
      await recordCall(tx, command, { outcome: "REPLAYED", status: stored.status, commandId, durationMs });
      return { outcome: "DONE", answer: toAnswer(stored, true) };
    case "OTHER":
      await recordCall(tx, command, { outcome: "REUSED", status: deps.reusedStatus ?? 409, commandId, durationMs });
      return { outcome: "REUSED" };
    case "UNREADABLE":
      throw new AppError("fingerprint-unreadable", sameKey, {}, 5);
  }
}

const worksMax = 3;

/** Work that met a rival runs again from younger facts, in a savepoint of its own; at the limit the refusal that it brought stands. */
async function workOrRefusal(tx: Tx, command: Command, commandId: string, work: Work): Promise<AnswerToStore> {
  for (let run = 1; ; run++) {
    try {
      return toStore(await withSavepoint(tx, (sp) => work(sp, { commandId })));
    } catch (error) {
      if (!(error instanceof MetRival)) return refusalToStore(command, error);
      if (run === worksMax) return refusalToStore(command, error.refusal);
    }
  }
}

const toStore = (answer: Answer): AnswerToStore => ({
  status: answer.status,
  body: JSON.stringify(answer.body),
  location: answer.location ?? null,
  etag: answer.etag ?? null,
  appointmentId: answer.appointmentId ?? null,
  audit: answer.audit,
});

/** The savepoint has undone the work; the refusal itself is what a retry will read. */
function refusalToStore(command: Command, error: unknown): AnswerToStore {
  if (!(error instanceof AppError) || !error.isStored) throw error;
  const { subject } = command;
  const audit: AuditEntry = {
    act: `command.${command.fingerprint.operation}`,
    result: "REFUSED",
    reasonCode: error.code,
    ...(subject ? { subjectType: subject.type, subjectId: subject.id } : {}),
  };
  const body = JSON.stringify(problemBody(error));
  return { status: error.status, body, location: null, etag: null, appointmentId: subject?.id ?? null, audit };
}

/** Asks again with jitter until the owner has ended or the wait is over; between two looks it holds no connection. */
async function waitForOwner(deps: CommandDeps, command: Command, attempt: () => Promise<Attempt>, startedMs: number): Promise<Attempt> {
  const waiters = processWaiters();
  const { actor, clinicId, key } = command;
  const place = waiterPlace(actor.tenantGroupId, clinicId, callerOf(actor, clinicId), key);
  if (!waiters.enter(place)) return sendAway(deps, command, "OVERLOADED", startedMs);
  try {
    const deadlineMs = startedMs + deps.waitMs;
    for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 2, 160)) {
      await testPoint("command.waiting", { key });
      const leftMs = deadlineMs - systemClock.monotonicMs();
      await sleep(Math.max(0, Math.min(leftMs, pauseMs * (0.5 + Math.random()))));
      const again = await attempt(); // at least one look more, however slow the first one was
      if (again.outcome !== "BUSY") return again;
      if (systemClock.monotonicMs() >= deadlineMs) return sendAway(deps, command, "IN_PROGRESS", startedMs);
    }
  } finally {
    waiters.leave(place);
  }
}

async function sendAway(deps: CommandDeps, command: Command, outcome: "IN_PROGRESS" | "OVERLOADED", startedMs: number): Promise<never> {
  const refusal =
    outcome === "IN_PROGRESS"
      ? new AppError("idempotency-in-progress", undefined, {}, 1)
      : new AppError("idempotency-overloaded", undefined, {}, 2);
  const call = { outcome, status: refusal.status, commandId: null, durationMs: systemClock.monotonicMs() - startedMs };
  await withTx(deps.db, command.actor, (tx) => recordCall(tx, command, call));
  throw refusal;
}

/**
 * The answer to COMMIT was lost. "No row" proves nothing, the COMMIT may still be on its way: only a stored answer ends the doubt. It is a first
 * answer when the stored command is this call's own.
 */
async function answerAfterDoubt(deps: CommandDeps, command: Command, commandId: string): Promise<Attempt> {
  const stored = await withRead(deps.db, command.actor, (tx) => readKey(tx, command), { deadlineMs: 2_000 }).catch(() => undefined);
  if (stored && compareFingerprint(deps.digestKeys, command.fingerprint, stored.fingerprint) === "SAME")
    return { outcome: "DONE", answer: toAnswer(stored, stored.commandId !== commandId) };
  throw new AppError("outcome-unknown", sameKey, {}, 1);
}

function conclude({ reusedStatus }: CommandDeps, attempt: Attempt): CommandAnswer {
  if (attempt.outcome === "DONE") return attempt.answer;
  if (attempt.outcome === "REUSED") throw new AppError("idempotency-key-reused", undefined, {}, undefined, reusedStatus);
  throw new AppError("idempotency-in-progress", undefined, {}, 1);
}

const toAnswer = ({ status, body, location, etag, commandId, expiresAt }: StoredKey, replayed: boolean): CommandAnswer => ({
  status,
  body,
  location,
  etag,
  commandId,
  replayed,
  expiresAt: toIso(expiresAt),
});
