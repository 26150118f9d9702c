import type { Tx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { runCommand } from "@/server/domain/idempotency/run-command";
import type { Answer, CommandAnswer, CommandCall, CommandDeps } from "@/server/domain/idempotency/types";
import { newUuid } from "@/server/ids";
import { assessFact } from "./assess-fact";
import { factActions } from "./fact-actions";
import { factPath, factTables, readFact, type StoredFact, toFactView } from "./fact-rows";
import type { AffectedView, FactKind, FactWish } from "./fact-types";
import { localAt, minuteMs, type Span, toIso } from "./local-time";
import { beginFactWrite, type FactChangeCall, publishFactChange, toFactCommand } from "./write-fact";

const words = { absence: "Absence", closure: "Closure", outage: "Outage", break: "Break" } as const satisfies Record<FactKind, string>;
type Verb = "add" | "change" | "end";
/** Names of the commands: in fingerprints, calls, audit entries and as operation ids of the API. */
export type FactOperation = `${Verb}${(typeof words)[FactKind]}`;
export const factOperation = (verb: Verb, kind: FactKind): FactOperation => `${verb}${words[kind]}`;

/** Adds an absence, a closure, an outage or a break: 201 with the visits that it leaves without a place. Moves nothing. */
export function addFact(deps: CommandDeps, call: CommandCall, wish: FactWish): Promise<CommandAnswer> {
  return runCommand(deps, toFactCommand(factOperation("add", wish.kind), call, wish.kind), async (tx, { commandId }) => {
    const clinic = await beginFactWrite(tx, call, commandId, "facts");
    const { row, affected } = await assessFact(tx, call.actor, { clinicId: call.clinicId, wish, now: clinic.now });
    const factId = newUuid();
    await tx.sql`insert into ${tx.sql(factTables[wish.kind])} ${tx.sql({ id: factId, tenant_group_id: clinic.tenantGroupId, clinic_id: clinic.id, ...row.columns })}`;
    const fact = await stored(tx, call, wish.kind, factId);
    return answer(tx, call, commandId, { kind: wish.kind, change: "ADDED", fact, span: spanOf(fact), affected });
  });
}

/** Changes one to what is wished now, all of it. Refuses (stored) version-stale, fact-over, fact-invalid; another kind or clinic is not-found. */
export function changeFact(deps: CommandDeps, call: FactChangeCall, wish: FactWish): Promise<CommandAnswer> {
  return runCommand(deps, toFactCommand(factOperation("change", wish.kind), call, wish.kind), async (tx, { commandId }) => {
    const { now } = await beginFactWrite(tx, call, commandId, "facts");
    const before = await lockFact(tx, call, wish.kind, now);
    const { row, affected } = await assessFact(tx, call.actor, { clinicId: call.clinicId, wish, now, replaced: before.id });
    const columns = { ...row.columns, version: String(BigInt(before.version) + 1n) };
    await tx.sql`update ${tx.sql(factTables[wish.kind])} set ${tx.sql(columns)} where id = ${before.id}`;
    const fact = await stored(tx, call, wish.kind, before.id);
    return answer(tx, call, commandId, { kind: wish.kind, change: "CHANGED", fact, span: hull(spanOf(before), spanOf(fact)), affected });
  });
}

/** Ends one: what has not begun is withdrawn, what is under way is over from this minute on, a weekly break is no more. */
export function endFact(deps: CommandDeps, call: FactChangeCall, kind: FactKind): Promise<CommandAnswer> {
  return runCommand(deps, toFactCommand(factOperation("end", kind), call, kind), async (tx, { commandId }) => {
    const { now } = await beginFactWrite(tx, call, commandId, "facts");
    const before = await lockFact(tx, call, kind, now);
    const ended = await cutOrDelete(tx, call, kind, before, now);
    return answer(tx, call, commandId, {
      kind,
      change: "ENDED",
      fact: ended,
      span: spanOf(before),
      affected: { count: 0, visits: [], days: [] },
    });
  });
}

async function cutOrDelete(tx: Tx, call: FactChangeCall, kind: FactKind, before: StoredFact, now: number): Promise<StoredFact> {
  const table = tx.sql(factTables[kind]);
  const version = String(BigInt(before.version) + 1n);
  const minute = Math.floor(now / minuteMs) * minuteMs;
  if (before.from_ms === null || minute <= before.from_ms) {
    await tx.sql`delete from ${table} where id = ${before.id}`;
    return { ...before, version };
  }
  const [clinic] = await tx.sql<{ zone: string }[]>`select zone from clinics where id = ${call.clinicId}`;
  const { local } = localAt(clinic?.zone as string, minute);
  const isShownLater = local > (before.local_from?.replace(" ", "T") ?? ""); // in the hour that is shown twice it may not be
  const columns = {
    local_until: isShownLater ? local : (before.local_until as string),
    during: `[${toIso(before.from_ms)},${toIso(minute)})`,
    version,
  };
  await tx.sql`update ${table} set ${tx.sql(columns)} where id = ${before.id}`;
  return stored(tx, call, kind, before.id);
}

/** The row under its lock, when it is the version that was read and not over. */
async function lockFact(tx: Tx, call: FactChangeCall, kind: FactKind, now: number): Promise<StoredFact> {
  const row = await readFact(tx, call.actor, { clinicId: call.clinicId, kind, factId: call.factId }, "LOCK");
  if (!row) throw new AppError("not-found");
  if (row.version !== call.expectedVersion)
    throw new AppError("version-stale", undefined, { expectedVersion: call.expectedVersion, currentVersion: row.version });
  const untilInstant = row.until_ms === null ? null : toIso(row.until_ms);
  const { change } = factActions({ untilInstant }, now);
  if (!change.allowed) throw new AppError("fact-over", undefined, { until: untilInstant });
  return row;
}

async function stored(tx: Tx, { actor, clinicId }: CommandCall, kind: FactKind, factId: string): Promise<StoredFact> {
  const row = await readFact(tx, actor, { clinicId, kind, factId });
  if (!row) throw new Error("a fact that was just written is gone");
  return row;
}

const spanOf = ({ from_ms: from, until_ms: until }: StoredFact): Span | null => (from === null || until === null ? null : { from, until });
const hull = (a: Span | null, b: Span | null): Span | null =>
  a && b && { from: Math.min(a.from, b.from), until: Math.max(a.until, b.until) };

type Written = { kind: FactKind; change: "ADDED" | "CHANGED" | "ENDED"; fact: StoredFact; span: Span | null; affected: AffectedView };

async function answer(tx: Tx, call: CommandCall, commandId: string, { kind, change, fact, span, affected }: Written): Promise<Answer> {
  const view = toFactView(call.clinicId, fact, change === "ENDED" ? "ENDED" : "IN_FORCE");
  const { doctorId, equipmentId, version } = view;
  const factVersion = await publishFactChange(tx, call, commandId, {
    fact: kind.toUpperCase() as Uppercase<FactKind>,
    change,
    factId: fact.id,
    doctorId,
    equipmentId,
    span,
  });
  return {
    status: change === "ADDED" ? 201 : 200,
    body: { ...view, affected, factVersion, commandId },
    location: factPath(call.clinicId, kind, fact.id),
    etag: `"${version}"`,
    audit: {
      act: `${kind}.${change.toLowerCase()}`,
      subjectType: kind,
      subjectId: fact.id,
      details: { version, affected: affected.count, factVersion },
      ...(call.actor.kind === "person" ? { role: "FRONT_DESK" as const } : {}),
    },
  };
}
