import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withRead } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { deliveryCounts } from "./delivery-counts";
import { deliveryEvidence } from "./delivery-evidence";
import { deliveryQueue } from "./delivery-queue";
import { listStories } from "./list-stories";
import { needsDecision } from "./needs-decision";
import { type QueueCursor, queueFilter } from "./types";

let db: TestDatabase;
const group = randomUUID();
const other = randomUUID();
const clinic = randomUUID();
const foreign = randomUUID();
const scope = { tenantGroupId: group, clinicIds: [clinic], userId: randomUUID() };
const actor = { tenantGroupId: group, clinicIds: [clinic] };

type Row = {
  state: string;
  clinicId?: string;
  tenantGroupId?: string;
  at?: string;
  /** When a waiting row was last attempted. */
  changedAt?: string;
  reason?: string;
  blockedBy?: string;
  consumer?: string;
};

/** One inbox row in a state, with what the state asks for. Returns its ids. */
async function inboxRow(row: Row): Promise<{ id: string; eventId: string; commandId: string }> {
  const ids = { id: randomUUID(), eventId: randomUUID(), commandId: randomUUID() };
  const at = row.at ?? new Date().toISOString();
  await db.superuser.$client`
    insert into inbox ${db.superuser.$client({
      id: ids.id,
      tenant_group_id: row.tenantGroupId ?? group,
      clinic_id: row.clinicId ?? clinic,
      consumer: row.consumer ?? "daily-load-v1",
      event_id: ids.eventId,
      command_id: ids.commandId,
      event_type: "AppointmentCreated",
      schema_version: 1,
      aggregate_type: "appointment",
      aggregate_id: randomUUID(),
      aggregate_seq: 1,
      content_digest: `d16e57d1${ids.id.slice(0, 8)}`,
      digest_key_id: "k1",
      log_id: "log-1",
      topic: "appointment.v1",
      partition: 3,
      first_offset: 7,
      last_partition: 3,
      last_offset: 7,
      state: row.state,
      attempts: 1,
      attempts_max: 5,
      reason_code: row.reason ?? (row.state === "PROCESSED" || row.state === "PROCESSING" ? null : "HANDLER_RETRY"),
      blocked_by: row.blockedBy ?? null,
      next_attempt_at: row.state === "RETRYABLE" && !row.blockedBy ? at : null,
      lease_owner: row.state === "PROCESSING" ? "worker-1" : null,
      lease_until: row.state === "PROCESSING" ? at : null,
      processed_at: row.state === "PROCESSED" ? at : null,
      effect: row.state === "PROCESSED" ? "APPLIED" : null,
      quarantined_at: row.state === "QUARANTINED" ? at : null,
      updated_at: row.state === "RETRYABLE" ? (row.changedAt ?? new Date().toISOString()) : new Date().toISOString(),
    })}`;
  return ids;
}

async function delivery(inboxId: string, outcome: string, at = new Date().toISOString()): Promise<void> {
  await db.superuser.$client`
    insert into inbox_deliveries (tenant_group_id, clinic_id, inbox_id, consumer, event_id, command_id, attempt, outcome, log_id, partition, "offset", worker, started_at, duration_ms, at)
    select tenant_group_id, clinic_id, id, consumer, event_id, command_id, 1, ${outcome}, log_id, partition, first_offset, 'worker-1', ${at}, 12, ${at}
    from inbox where id = ${inboxId}`;
}

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const inMinutes = (minutes: number) => ago(-minutes);
const queue = (filter: object, after: QueueCursor | null = null, limit = 50) =>
  withRead(db.web, actor, (tx) => deliveryQueue(tx, scope, queueFilter.parse(filter), after, limit));

beforeAll(async () => {
  db = await createTestDatabase();
  const sql = db.superuser.$client;
  await sql`insert into tenant_groups (id, ref, name) values (${group}, 'TG-1', 'Northbank'), (${other}, 'TG-2', 'Southbank')`;
  await sql`
    insert into clinics (id, tenant_group_id, ref, name, zone)
    values (${clinic}, ${group}, 'CL-1', 'Harbour', 'Europe/Berlin'), (${foreign}, ${other}, 'CL-2', 'Hill', 'Asia/Seoul')`;
});
afterAll(() => db.close());

describe("delivery read models", () => {
  it("counts, pages and evidence see only the clinics of the reader", async () => {
    const mine = await inboxRow({ state: "QUARANTINED", reason: "SCHEMA_UNKNOWN", at: ago(5) });
    const theirs = await inboxRow({ state: "QUARANTINED", reason: "SCHEMA_UNKNOWN", tenantGroupId: other, clinicId: foreign });
    const counts = await withRead(db.web, actor, (tx) => deliveryCounts(tx, scope));
    expect(counts.quarantined.count).toBe(1);
    expect(counts.needsDecision).toBe(1);
    expect(await withRead(db.web, actor, (tx) => needsDecision(tx, scope))).toBe(1);
    const page = await queue({});
    expect(page.rows.map((row) => row.id)).toEqual([`inbox.${mine.id}`]);
    await expect(withRead(db.web, actor, (tx) => deliveryEvidence(tx, scope, "inbox", theirs.id))).resolves.toBeNull();
    const evidence = await withRead(db.web, actor, (tx) => deliveryEvidence(tx, scope, "inbox", mine.id));
    expect(evidence).toMatchObject({
      state: "QUARANTINED",
      reasonCode: "SCHEMA_UNKNOWN",
      scope: { tenantGroupRef: "TG-1", clinicRef: "CL-1", zone: "Europe/Berlin" },
      position: { topic: "appointment.v1", partition: 3, firstOffset: "7" },
      replayRequestId: null,
    });
  });

  it("finished and reused are counted by the records of the last 24 hours, not by rows", async () => {
    const row = await inboxRow({ state: "PROCESSED", at: ago(30) });
    await delivery(row.id, "PROCESSED", ago(30));
    await delivery(row.id, "DUPLICATE", ago(20));
    await delivery(row.id, "DUPLICATE", ago(150));
    await delivery(row.id, "DUPLICATE", ago(25 * 60));
    const counts = await withRead(db.web, actor, (tx) => deliveryCounts(tx, scope));
    expect(counts.processed).toMatchObject({ count: 1, lastHour: 1 });
    expect(counts.duplicate).toMatchObject({ count: 2, lastHour: 1 });
    expect(counts.duplicate.bars.slice(-2)).toEqual([1, 1]);
    expect(counts.duplicate.bars).toHaveLength(12);
  });

  it("the queue shows what needs a decision, then what waits by its time, then what settled", async () => {
    const later = await inboxRow({ state: "RETRYABLE", at: inMinutes(10) });
    const sooner = await inboxRow({ state: "RETRYABLE", at: inMinutes(2) });
    const blocked = await inboxRow({ state: "RETRYABLE", reason: "BLOCKED_BY", blockedBy: sooner.id });
    const { rows } = await queue({});
    const groups = rows.map((row) => row.group);
    expect(
      [...groups].sort((a, b) => ["DECISION", "WAITING", "SETTLED"].indexOf(a) - ["DECISION", "WAITING", "SETTLED"].indexOf(b)),
    ).toEqual(groups);
    const waiting = rows.filter((row) => row.group === "WAITING");
    expect(waiting.map((row) => row.id)).toEqual([`inbox.${sooner.id}`, `inbox.${later.id}`, `inbox.${blocked.id}`]);
    expect(waiting[2]).toMatchObject({ state: "BLOCKED_BY", blockedBy: sooner.id, attempts: 1 });
    expect(rows.filter((row) => row.group === "SETTLED").map((row) => row.state)).toEqual(["DUPLICATE", "PROCESSED", "DUPLICATE"]);
  });

  it("pages of two show every row once, in the order of one page", async () => {
    const whole = await queue({});
    const seen: string[] = [];
    let after: QueueCursor | null = null;
    do {
      const page = await queue({}, after, 2);
      seen.push(...page.rows.map((row) => row.id));
      after = page.next;
    } while (after);
    expect(seen).toEqual(whole.rows.map((row) => row.id));
    expect(seen.length).toBeGreaterThan(5);
  });

  it("each filter leaves only its rows", async () => {
    const single = await inboxRow({ state: "RETRYABLE", at: inMinutes(30), consumer: "reminder-planner-v1" });
    expect((await queue({ states: ["RETRYABLE"] })).rows.every((row) => row.state === "RETRYABLE" || row.state === "BLOCKED_BY")).toBe(
      true,
    );
    expect((await queue({ states: ["DUPLICATE"] })).rows.map((row) => row.state)).toEqual(["DUPLICATE", "DUPLICATE"]);
    expect((await queue({ decisionOnly: true })).rows.every((row) => row.group === "DECISION")).toBe(true);
    expect((await queue({ consumer: "reminder-planner-v1" })).rows.map((row) => row.id)).toEqual([`inbox.${single.id}`]);
    for (const search of [single.id, single.eventId, single.eventId.toUpperCase(), `d16e57d1${single.id.slice(0, 8)}`]) {
      expect((await queue({ search })).rows.map((row) => row.id)).toEqual([`inbox.${single.id}`]);
    }
    expect((await queue({ search: "APT-NONE" })).rows).toEqual([]);
    expect((await queue({ search: "%" })).rows).toEqual([]);
  });

  it("a time range leaves what stopped, changed or settled in it, in every group", async () => {
    const consumer = "ranged-v1";
    const named: Record<string, string> = {};
    for (const [name, minutes] of [
      ["now", 5],
      ["hours", 5 * 60],
      ["days", 3 * 24 * 60],
      ["weeks", 30 * 24 * 60],
    ] as const) {
      named[(await inboxRow({ state: "QUARANTINED", consumer, at: ago(minutes) })).id] = `stopped ${name}`;
      named[(await inboxRow({ state: "RETRYABLE", consumer, at: inMinutes(60), changedAt: ago(minutes) })).id] = `waiting ${name}`;
      const settled = await inboxRow({ state: "PROCESSED", consumer, at: ago(minutes) });
      await delivery(settled.id, "PROCESSED", ago(minutes));
      named[settled.id] = `settled ${name}`;
    }
    const left = async (since?: string) => (await queue({ consumer, since })).rows.map(({ id }) => named[id.split(".")[1] ?? ""]).sort();
    const of = (...names: string[]) => ["settled", "stopped", "waiting"].flatMap((group) => names.map((name) => `${group} ${name}`)).sort();
    expect(await left("1h")).toEqual(of("now"));
    expect(await left("24h")).toEqual(of("now", "hours"));
    expect(await left("7d")).toEqual(of("now", "hours", "days"));
    expect(await left("all")).toEqual(of("now", "hours", "days", "weeks"));
    expect(await left()).toEqual(of("now", "hours", "days", "weeks").filter((name) => !/^settled (days|weeks)/.test(name)));
  });

  it("a command that was called again is one settled row with its number of calls", async () => {
    const sql = db.superuser.$client;
    const command = randomUUID();
    await sql.begin(async (tx) => {
      await tx`
        insert into idempotency_keys (tenant_group_id, clinic_id, caller, key, fingerprint, fingerprint_version, fingerprint_key_id, command_id, operation, status, body, expires_at)
        values (${group}, ${clinic}, ${`desk:${clinic}`}, 'key-1', 'abcdef0123456789', 1, 'k1', ${command}, 'appointments.create', 201, '{}', now() + interval '1 day')`;
      for (const [outcome, at] of [
        ["FIRST", ago(3)],
        ["REPLAYED", ago(2)],
        ["REPLAYED", ago(1)],
      ] as const) {
        await tx`
          insert into command_calls (tenant_group_id, clinic_id, caller, key, operation, command_id, outcome, status, actor_kind, actor_id, request_id, called_at, duration_ms)
          values (${group}, ${clinic}, ${`desk:${clinic}`}, 'key-1', 'appointments.create', ${command}, ${outcome}, 201, 'person', ${randomUUID()}, ${`req-${at}`}, ${at}, 9)`;
      }
    });
    const { rows } = await queue({ search: "key-1" });
    expect(rows).toMatchObject([{ id: `command.${command}`, state: "DUPLICATE", calls: 3, consumer: null }]);
    expect((await queue({ search: "abcdef01" })).rows).toHaveLength(1);
    const counts = await withRead(db.web, actor, (tx) => deliveryCounts(tx, scope));
    const whole = (await queue({}, null, 200)).rows;
    expect(counts.settled).toBe(whole.filter((row) => row.group === "SETTLED").length);
    expect(counts.needsDecision).toBe(whole.filter((row) => row.group === "DECISION").length);
    expect(counts.waiting).toBe(whole.filter((row) => row.group === "WAITING").length);
    const evidence = await withRead(db.web, actor, (tx) => deliveryEvidence(tx, scope, "command", command));
    expect(evidence?.calls.map((call) => call.outcome)).toEqual(["FIRST", "REPLAYED", "REPLAYED"]);
    expect(evidence?.fingerprint).toEqual({ value: "abcdef0123456789", version: 1, keyId: "k1" });
  });

  it("a plan asked for twice, a drill started twice and an act sent twice are no duplicates of the business; a fact of the desk is", async () => {
    const duplicates = async () => (await withRead(db.web, actor, (tx) => deliveryCounts(tx, scope))).duplicate.count;
    const stories = async () =>
      (await withRead(db.web, actor, (tx) => listStories(tx, scope, undefined, null, 100))).lines.map(({ operation }) => operation);
    const before = await duplicates();
    const operations = ["planning.request", "planning.apply", "drill.start", "delivery.assign", "addAbsence"];
    for (const operation of operations) {
      const command = randomUUID();
      await db.superuser.$client`
        insert into idempotency_keys (tenant_group_id, clinic_id, caller, key, fingerprint, fingerprint_version, fingerprint_key_id, command_id, operation, status, body, expires_at)
        values (${group}, ${clinic}, ${`desk:${clinic}`}, ${`key-${operation}`}, 'abcdef', 1, 'k1', ${command}, ${operation}, 201, '{}', now() + interval '1 day')`;
      for (const outcome of ["FIRST", "REPLAYED"])
        await db.superuser.$client`
          insert into command_calls (tenant_group_id, clinic_id, caller, key, operation, command_id, outcome, status, actor_kind, actor_id, request_id, called_at, duration_ms)
          values (${group}, ${clinic}, ${`desk:${clinic}`}, ${`key-${operation}`}, ${operation}, ${command}, ${outcome}, 201, 'person', ${randomUUID()}, ${randomUUID()}, ${ago(1)}, 9)`;
    }
    expect((await duplicates()) - before).toBe(1);
    const shown: string[] = [];
    for (const operation of operations) if ((await queue({ search: `key-${operation}` })).rows.length > 0) shown.push(operation);
    expect(shown).toEqual(["addAbsence"]);
    const told = await stories();
    expect(operations.filter((name) => told.includes(name))).toEqual(["addAbsence"]);
  });
});
