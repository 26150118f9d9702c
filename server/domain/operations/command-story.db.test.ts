import { Temporal } from "temporal-polyfill";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withRead } from "@/db/client";
import { sealOnce } from "@/server/domain/audit/seal-once";
import { testRing } from "@/server/domain/audit/testing";
import type { PersonActor } from "@/server/domain/scope/actor";
import { newRef, newUuid } from "@/server/ids";
import { World } from "@/workers/model/testing/world";
import { commandStory, storyRecords } from "./command-story";
import { deliveryQueue } from "./delivery-queue";
import { findVisits } from "./find-visits";
import { listStories, type StoryListCursor } from "./list-stories";
import { exportStory } from "./story-export";
import type { StoryCursor, StoryRecord } from "./story-types";
import { queueFilter } from "./types";

let world: World;
let scope: { tenantGroupId: string; clinicIds: string[] };
const sql = () => world.db.superuser.$client;
const read = <T>(fn: Parameters<typeof withRead<T>>[2], as = scope) => withRead<T>(world.db.web, as, fn);
const headOf = (commandId: string, as = scope) => read((tx) => commandStory(tx, as, commandId), as);
const list = (search?: string, as = scope) => read((tx) => listStories(tx, as, search, null, 50), as);

async function recordsOf(commandId: string, partSize = 100): Promise<StoryRecord[]> {
  const seen: StoryRecord[] = [];
  let after: StoryCursor | null = null;
  do {
    const part: Awaited<ReturnType<typeof storyRecords>> = await read((tx) => storyRecords(tx, scope, commandId, after, partSize));
    seen.push(...part.records);
    after = part.next;
  } while (after);
  return seen;
}

type Wish = { slot: number; doctor: number; patient: number };
const book = async (wish: Wish, key = `key-${newUuid()}`) => {
  const answer = await world.send({ kind: "book", wish } as never, key);
  return { ...answer, key, visit: JSON.parse(answer.body) as { id: string; ref: string } };
};

beforeAll(async () => {
  world = await World.open();
  const { tenantGroupId, ber } = world.fixture.t1;
  scope = { tenantGroupId, clinicIds: [ber.id] };
});
afterAll(() => world.db.close());

describe("the story of one command", () => {
  it("counts a command that came three times: changed once, sent once, and every reuse by name", async () => {
    const first = await book({ slot: 0, doctor: 0, patient: 0 });
    await world.send({ kind: "book", wish: { slot: 0, doctor: 0, patient: 0 } } as never, first.key);
    await world.send({ kind: "book", wish: { slot: 0, doctor: 0, patient: 0 } } as never, first.key);
    await expect(world.send({ kind: "book", wish: { slot: 1, doctor: 0, patient: 0 } } as never, first.key)).rejects.toThrow();
    await world.drain();
    await world.redeliver(0);

    const head = await headOf(first.commandId);
    expect(head).toMatchObject({
      operation: "createAppointment",
      status: 201,
      appointment: { ref: first.visit.ref, version: "1" },
      counts: { calls: 4, replayed: 2, changes: 1, events: 1, published: 1, intents: 1, sent: 1, suppressed: 0 },
      open: [],
    });
    expect(head?.key?.value).toBe(first.key);
    expect(head?.consumers.map(({ consumer, deliveries, duplicates }) => [consumer, deliveries, duplicates])).toEqual([
      ["daily-load-v1", 2, 1],
      ["reminder-planner-v1", 2, 1],
    ]);
    const records = await recordsOf(first.commandId);
    expect(records).toHaveLength(head?.counts.records ?? 0);
    expect(records.filter((record) => record.kind === "call").map((record) => record.what)).toEqual([
      "FIRST",
      "REPLAYED",
      "REPLAYED",
      "REUSED",
    ]);
  });

  it("puts key, change, message, event and audit into one instant, and everything else in the order of time", async () => {
    const { commandId } = await book({ slot: 2, doctor: 0, patient: 1 });
    await world.drain();
    const records = await recordsOf(commandId);
    const band = records.filter((record) => record.inTransaction);
    expect(band.map((record) => record.kind)).toEqual(["key", "change", "intent", "event", "audit"]);
    expect(new Set(band.map((record) => record.at)).size).toBe(1);
    expect(records[0]?.kind).toBe("call");
    const at = records.map((record) => Date.parse(record.at.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00")));
    expect(at).toEqual([...at].sort((a, b) => a - b));
    expect(records.map((record) => record.kind)).toEqual(expect.arrayContaining(["published", "delivery", "sending", "reminder"]));
    expect(JSON.stringify(records)).not.toMatch(/Patient \d/);
  });

  it("keeps the audit entry in that instant once the sealer has given it its place in the chain", async () => {
    const { commandId } = await book({ slot: 3, doctor: 1, patient: 1 });
    const band = async () =>
      (await recordsOf(commandId))
        .filter((record) => record.kind === "key" || record.kind === "audit")
        .map(({ at, inTransaction }) => ({ at, inTransaction }));
    const before = await band();
    expect((await sealOnce(world.db.worker, { worker: "sealer", ring: testRing })).sealed).toBeGreaterThan(0);
    const after = await band();
    expect(after).toEqual(before);
    expect(after.map(({ inTransaction }) => inTransaction)).toEqual([true, true]);
    expect(new Set(after.map(({ at }) => at)).size).toBe(1);
  });

  it("gives the same records in parts of three as in one", async () => {
    const { commandId } = await book({ slot: 4, doctor: 0, patient: 2 });
    await world.drain();
    const whole = await recordsOf(commandId);
    expect((await recordsOf(commandId, 3)).map((record) => record.id)).toEqual(whole.map((record) => record.id));
    expect(whole.length).toBeGreaterThan(6);
  });

  it("names what is not finished: an event to publish, one that nobody took, a row that stopped, a message that waits", async () => {
    const { commandId } = await book({ slot: 6, doctor: 0, patient: 3 });
    const openOf = async () => (await headOf(commandId))?.open.map(({ what, state }) => `${what} ${state}`).sort();
    expect(await openOf()).toEqual(["publish PENDING", "send PENDING"]);
    await world.relay();
    expect(await openOf()).toEqual(["send PENDING", "take PUBLISHED"]);
    await world.drain();
    expect(await openOf()).toEqual([]);
    await sql()`
      update inbox set state = 'QUARANTINED', quarantined_at = clock_timestamp(), reason_code = 'ATTEMPTS_EXHAUSTED', processed_at = null, effect = null
      where command_id = ${commandId} and consumer = 'reminder-planner-v1'`;
    expect(await headOf(commandId)).toMatchObject({ open: [{ what: "consume", state: "QUARANTINED", by: "reminder-planner-v1" }] });
    const line = (await list(commandId)).lines[0];
    expect(line).toMatchObject({ commandId, open: 1, stopped: 1 });
  });

  it("counts a message that was no longer true as suppressed, and not as sent", async () => {
    const first = await book({ slot: 8, doctor: 0, patient: 4 });
    await world.send({ kind: "cancel", visit: first.visit, version: 1 } as never, `key-${newUuid()}`);
    await world.drain();
    expect((await headOf(first.commandId))?.counts).toMatchObject({ intents: 1, sent: 0, suppressed: 1 });
  });

  it("tells a refused command: it came, changed nothing and sent nothing", async () => {
    await book({ slot: 10, doctor: 0, patient: 5 });
    const refused = await world.send({ kind: "book", wish: { slot: 10, doctor: 0, patient: 6 } } as never, `key-${newUuid()}`);
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(await headOf(refused.commandId)).toMatchObject({ status: refused.status, counts: { calls: 1, changes: 0, events: 0, sent: 0 } });
    expect((await recordsOf(refused.commandId)).map((record) => record.kind)).toEqual(["call", "key", "audit"]);
  });

  it("a call that was told to wait belongs to the command whose key it came under", async () => {
    const { commandId, key } = await book({ slot: 12, doctor: 0, patient: 0 });
    await sql()`
      insert into command_calls (tenant_group_id, clinic_id, caller, key, operation, command_id, outcome, status, actor_kind, actor_id, request_id, duration_ms)
      select tenant_group_id, clinic_id, caller, key, operation, null, 'IN_PROGRESS', 409, actor_kind, actor_id, 'waited', 2000
      from command_calls where command_id = ${commandId}`;
    expect((await headOf(commandId))?.counts.calls).toBe(2);
    expect((await recordsOf(commandId)).map((record) => record.what)).toContain("IN_PROGRESS");
    expect(key).toBeTruthy();
  });

  it("of another clinic or tenant group it is not found, and neither in the list", async () => {
    const { commandId, visit } = await book({ slot: 14, doctor: 0, patient: 1 });
    const { t1, t2 } = world.fixture;
    for (const as of [
      { tenantGroupId: t1.tenantGroupId, clinicIds: [t1.nyc.id] },
      { tenantGroupId: t2.tenantGroupId, clinicIds: [t2.ktm.id] },
    ]) {
      expect(await headOf(commandId, as)).toBeNull();
      expect((await read((tx) => storyRecords(tx, as, commandId, null, 50), as)).records).toEqual([]);
      expect((await list(undefined, as)).lines).toEqual([]);
      for (const search of [commandId, visit.ref, visit.id]) expect((await list(search, as)).lines).toEqual([]);
      // the scope in the statement holds by itself: here row-level security would let the rows through
      expect(await read((tx) => commandStory(tx, as, commandId), scope)).toBeNull();
      expect((await read((tx) => storyRecords(tx, as, commandId, null, 50), scope)).records).toEqual([]);
    }
  });
});

/** A replay of one stopped delivery of a command, as approval, runner and receipt write it. */
async function replayed(commandId: string) {
  const requestId = newUuid();
  const ref = newRef("RJ");
  const digest = "d".repeat(64);
  await sql()`
    with row as (
      select * from inbox where command_id = ${commandId} and consumer = 'reminder-planner-v1'
    ), request as (
      insert into replay_requests (request_id, tenant_group_id, clinic_id, ref, job_ref, requested_by_id, requested_by_ref, consumer, log_id, topic, selection,
        selection_digest, ranges, records, matching, offsets_spanned, waiting_behind, oldest_at, manifest_digest, digest_key_id, needs_second,
        preview_expires_at, max_seconds, rate_per_second, canary_size, stop_share_percent, reason, approver_id, approver_ref, approved_at, approved_digest,
        approval_expires_at, state, ended_at, processed, duplicate, retryable, quarantined, skipped, not_reached)
      select ${requestId}, tenant_group_id, clinic_id, ${newRef("MF")}, ${ref}, uuidv7(), 'ST-OPERAT', consumer, log_id, topic, '{}', ${digest}, '[]', 1, 1, 1, 0,
        received_at, ${digest}, 'k1', false, clock_timestamp(), 60, 10, 1, 50, 'Rule was added', uuidv7(), 'ST-OPERAT', clock_timestamp(), ${digest},
        clock_timestamp(), 'COMPLETED', clock_timestamp(), 1, 0, 0, 0, 0, 0
      from row
    ), refused as (
      insert into replay_refusals (tenant_group_id, clinic_id, ref, subject, subject_version, failed, actor_kind, actor_ref, at)
      select tenant_group_id, clinic_id, ${newRef("RF")}, id::text, '1', array['SCOPE', 'STATE'], 'person', 'ST-OPERAT', clock_timestamp() from row
    )
    select`;
  await sql()`
    insert into replay_items (request_id, position, tenant_group_id, clinic_id, inbox_id, event_id, row_version, row_state, partition, "offset", outcome, settled_at)
    select ${requestId}, 1, tenant_group_id, clinic_id, id, event_id, version, 'QUARANTINED', partition, first_offset, 'PROCESSED', clock_timestamp()
    from inbox where command_id = ${commandId} and consumer = 'reminder-planner-v1'`;
  await sql()`update inbox_deliveries set replay_request_id = ${requestId} where command_id = ${commandId} and consumer = 'reminder-planner-v1'`;
  return { requestId, ref };
}

describe("a replay in the story", () => {
  it("is found in the queue by every identity of the command behind it, and by no other", async () => {
    const { commandId, key, visit } = await book({ slot: 26, doctor: 0, patient: 7 });
    await world.drain();
    const { requestId, ref } = await replayed(commandId);
    const [ids] = await sql()<Record<string, string>[]>`
      select o.event_id as event, k.fingerprint, c.request_id as "requestOfCall", i.content_digest as digest
      from outbox o
      join idempotency_keys k on k.command_id = o.command_id
      join command_calls c on c.command_id = o.command_id
      join inbox i on i.event_id = o.event_id and i.consumer = 'reminder-planner-v1'
      where o.command_id = ${commandId}`;
    const identities = { appointment: visit.id, reference: visit.ref, command: commandId, key, requestId, manifest: ref, ...ids };
    expect(Object.keys(identities).sort()).toEqual(
      ["appointment", "command", "digest", "event", "fingerprint", "key", "manifest", "reference", "requestId", "requestOfCall"].sort(),
    );
    const as = { ...scope, userId: newUuid() };
    const foundBy = async (search: string) => (await read((tx) => deliveryQueue(tx, as, queueFilter.parse({ search }), null, 50))).rows;
    for (const [name, value] of Object.entries(identities)) {
      const rows = await foundBy(value);
      expect(rows.length, name).toBeGreaterThan(0);
      expect(new Set(rows.map((row) => row.appointmentRef)), name).toEqual(new Set([visit.ref]));
    }
    expect(await foundBy(newUuid())).toEqual([]);
  });

  it("stands there with its refusals, its approval, the attempt that it made and its end, and is found by its requestId and reference", async () => {
    const { commandId } = await book({ slot: 20, doctor: 0, patient: 4 });
    await world.drain();
    const before = (await headOf(commandId))?.counts.records ?? 0;
    const { requestId, ref } = await replayed(commandId);
    const head = await headOf(commandId);
    expect(head?.counts).toMatchObject({ replays: 1, records: before + 3, changes: 1, sent: 1 });
    const records = await recordsOf(commandId, 4);
    expect(records).toHaveLength(head?.counts.records ?? 0);
    expect(
      records.filter((record) => record.kind === "replay").map(({ what, by, detail }) => [what, by, what === "REFUSED" || detail === ref]),
    ).toEqual(
      expect.arrayContaining([
        ["REFUSED", "ST-OPERAT", true],
        ["APPROVED", "ST-OPERAT", true],
        ["PROCESSED", "reminder-planner-v1", true],
      ]),
    );
    expect(records.find((record) => record.by === "reminder-planner-v1" && record.kind === "delivery")?.requestId).toBe(requestId);
    for (const identity of [requestId, ref, ref.toLowerCase()])
      expect((await list(identity)).lines.map((line) => line.commandId)).toEqual([commandId]);
    const { t2 } = world.fixture;
    expect((await list(requestId, { tenantGroupId: t2.tenantGroupId, clinicIds: [t2.ktm.id] })).lines).toEqual([]);
  });
});

/** What else can become of the deliveries of a command, written as consumers write it. */
const delivered = (commandId: string, ...ends: [outcome: string, reason: string | null][]) =>
  sql()`
    insert into inbox_deliveries (tenant_group_id, clinic_id, inbox_id, consumer, event_id, command_id, attempt, fence, outcome, reason_code, log_id,
      partition, "offset", worker, started_at, duration_ms, at)
    select i.tenant_group_id, i.clinic_id, i.id, i.consumer, i.event_id, i.command_id, n, n, e.outcome, nullif(e.reason, ''), i.log_id, i.partition,
      i.first_offset, 'worker', i.received_at, 1, clock_timestamp() + n * interval '1 second'
    from inbox i,
      unnest(${ends.map(([outcome]) => outcome)}::text[], ${ends.map(([, reason]) => reason ?? "")}::text[]) with ordinality as e (outcome, reason, n)
    where i.command_id = ${commandId} and i.consumer = 'daily-load-v1'`;

describe("all that can become of one command", () => {
  it("O-10 stands on one page, each by its name, in the order of time, in parts: its calls, its event, every end of a delivery, a replay, a message", async () => {
    const wish = { slot: 24, doctor: 0, patient: 6 };
    const { commandId, key } = await book(wish);
    await world.send({ kind: "book", wish } as never, key);
    await expect(world.send({ kind: "book", wish: { ...wish, slot: 25 } } as never, key)).rejects.toThrow();
    await world.drain();
    await world.redeliver(0);
    const ends: [string, string | null][] = [
      ["RETRYABLE", "DATABASE_BUSY"],
      ["FENCED", null],
      ["QUARANTINED", "ATTEMPTS_EXHAUSTED"],
      ["DUPLICATE", null],
    ];
    await delivered(commandId, ...ends);
    await replayed(commandId);
    const records = await recordsOf(commandId, 5);
    const of = (kind: StoryRecord["kind"]) => new Set(records.filter((record) => record.kind === kind).map((record) => record.what));
    expect(of("call")).toEqual(new Set(["FIRST", "REPLAYED", "REUSED"]));
    expect(of("delivery")).toEqual(new Set(["PROCESSED", ...ends.map(([outcome]) => outcome)]));
    expect(of("replay")).toEqual(new Set(["APPROVED", "PROCESSED", "REFUSED"]));
    expect([of("published"), of("sending")]).toEqual([new Set(["PUBLISHED"]), new Set(["SENT"])]);
    expect(records.map((record) => record.kind)).toEqual(expect.arrayContaining(["key", "change", "event", "audit", "intent", "reminder"]));
    const at = records.map(
      (record) => Temporal.Instant.from(record.at.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00")).epochMilliseconds,
    );
    expect(at).toEqual([...at].sort((a, b) => a - b));
    expect((await headOf(commandId))?.counts).toMatchObject({ calls: 3, replayed: 1, changes: 1, sent: 1, replays: 1 });
  });
});

describe("evidence that is looked at or taken away", () => {
  const acts = (commandId: string) =>
    sql()`select act, actor_ref, actor_role, details from audit_entries where subject_id = ${commandId} order by at`;

  it("leaves as JSON with every record and no payload, as an entry of the audit that is written first", async () => {
    const { commandId } = await book({ slot: 22, doctor: 0, patient: 5 });
    await world.drain();
    const actor = operator();
    const made = await exportStory(world.db.web, actor, scope, commandId);
    const evidence = JSON.parse(made?.text ?? "") as { counts: { records: number }; records: { at: string }[] };
    expect(evidence.records).toHaveLength(evidence.counts.records);
    expect(evidence.records.every((record) => record.at.endsWith("Z"))).toBe(true);
    expect(made?.text).not.toMatch(/Patient \d|"body"|"payload"/);
    expect(await acts(commandId)).toMatchObject([
      { act: "story.exported", actor_role: "STAFF", details: { records: evidence.counts.records, sha256: made?.digest } },
    ]);
    await sql()`alter table audit_entries add constraint no_such_entry check (act <> 'story.exported') not valid`;
    await expect(exportStory(world.db.web, actor, scope, commandId)).rejects.toThrow();
    await sql()`alter table audit_entries drop constraint no_such_entry`;
    const { t2 } = world.fixture;
    const foreign = { tenantGroupId: t2.tenantGroupId, clinicIds: [t2.ktm.id] };
    expect(await exportStory(world.db.web, { ...actor, ...foreign }, foreign, commandId)).toBeNull();
  });

  it("adds no record to the story", async () => {
    const { commandId } = await book({ slot: 24, doctor: 0, patient: 6 });
    await world.drain();
    const before = (await headOf(commandId))?.counts.records;
    await exportStory(world.db.web, operator(), scope, commandId);
    expect((await headOf(commandId))?.counts.records).toBe(before);
  });

  function operator(): PersonActor {
    return {
      kind: "person",
      tenantGroupId: scope.tenantGroupId,
      clinicIds: scope.clinicIds,
      userId: newUuid(),
      ref: "ST-000002",
      roles: [{ role: "STAFF", clinicId: null }],
    };
  }
});

describe("the list of commands", () => {
  it("is found by every identity", async () => {
    const { commandId, key, visit } = await book({ slot: 16, doctor: 0, patient: 2 });
    await world.drain();
    const [ids] = await sql()`
      select k.fingerprint, o.event_id, n.id as intent_id, c.request_id
      from idempotency_keys k
      join outbox o on o.command_id = k.command_id
      join notification_intents n on n.command_id = k.command_id and n.kind <> 'REMINDER'
      join command_calls c on c.command_id = k.command_id
      where k.command_id = ${commandId}`;
    const identities = [
      visit.ref,
      visit.ref.toLowerCase(),
      visit.id,
      commandId,
      key,
      ids?.fingerprint.slice(0, 12),
      ids?.event_id,
      ids?.intent_id,
    ];
    for (const identity of [...identities, ids?.request_id])
      expect(
        (await list(identity)).lines.map((line) => line.commandId),
        String(identity),
      ).toEqual([commandId]);
    expect((await list("APT-NOBODY")).lines).toEqual([]);
  });

  it("pages of two show every command once, newest first", async () => {
    const whole = (await list()).lines.map((line) => line.commandId);
    const seen: string[] = [];
    let after: StoryListCursor | null = null;
    do {
      const page: Awaited<ReturnType<typeof listStories>> = await read((tx) => listStories(tx, scope, undefined, after, 2));
      seen.push(...page.lines.map((line) => line.commandId));
      after = page.next;
    } while (after);
    expect(seen).toEqual(whole);
    expect(whole.length).toBeGreaterThan(5);
  });

  it("a desk finds a visit by its own reference and by its patient's, in its clinic only", async () => {
    const { visit } = await book({ slot: 18, doctor: 0, patient: 3 });
    const { t1 } = world.fixture;
    const at = (clinicId: string, text: string) => read((tx) => findVisits(tx, { tenantGroupId: t1.tenantGroupId, clinicId }, text));
    expect(await at(t1.ber.id, visit.ref)).toMatchObject([{ appointmentId: visit.id, patientRef: t1.patients[3]?.ref }]);
    expect((await at(t1.ber.id, t1.patients[3]?.ref as string)).map((found) => found.ref)).toContain(visit.ref);
    expect(await at(t1.nyc.id, visit.ref)).toEqual([]);
    expect(await at(t1.ber.id, "%")).toEqual([]);
  });
});
