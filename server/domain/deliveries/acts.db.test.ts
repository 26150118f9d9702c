import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import type { CommandAnswer } from "@/server/domain/idempotency/types";
import { insertTestScope, type TestScope } from "@/server/domain/inbox/testing";
import type { PersonActor } from "@/server/domain/scope/actor";
import { newUuid } from "@/server/ids";
import { addNote } from "./add-note";
import { assignTask } from "./assign-task";
import { handOverTask } from "./hand-over-task";
import { keepQuarantined } from "./keep-quarantined";
import { scheduleRetry } from "./schedule-retry";
import { callOn, insertInboxRow, insertPerson, testDeps } from "./testing";

let db: TestDatabase;
let scope: TestScope;
let ann: PersonActor;
let bob: PersonActor;
let operator: PersonActor;

beforeAll(async () => {
  db = await createTestDatabase();
  scope = await insertTestScope(db.superuser);
  ann = await insertPerson(db.superuser, scope, "STAFF");
  bob = await insertPerson(db.superuser, scope, "STAFF");
  operator = await insertPerson(db.superuser, scope, "STAFF", "APPOINTMENT_REPLAY_OPERATOR");
});
beforeEach(() => db.superuser.$client`delete from inbox`);
afterAll(() => db.close());

const stopped = async (row = {}) => `inbox.${await insertInboxRow(db.superuser, scope, row)}`;
const call = (actor: PersonActor, id: string, more = {}) => callOn(db.web, actor, scope, id, more);
const deps = () => testDeps(db.web);
const bodyOf = (answer: CommandAnswer) => JSON.parse(answer.body) as Record<string, unknown>;
const task = async (id: string) => {
  const [row] = await db.superuser.$client`
    select status, assignee_ref, kept_by_ref, kept_reason, version::int4 as version from delivery_tasks where row_id = ${id.slice(6)}`;
  return row;
};
const notes = async (id: string) =>
  (await db.superuser.$client`select act, text, author_ref, to_ref from delivery_notes where row_id = ${id.slice(6)} order by at, id`).map(
    (row) => ({
      ...row,
    }),
  );
const audited = async (id: string) =>
  (
    await db.superuser
      .$client`select act, result, actor_role, reason_code from audit_entries where subject_id = ${id.slice(6)} order by at, id`
  ).map((row) => ({ ...row }));
const groups = async () =>
  (await db.superuser.$client`select reason_code, open, kept from delivery_groups where open + kept > 0 order by reason_code`).map(
    (row) => ({ ...row }),
  );

describe("a row that stops", () => {
  it("is an unassigned task by itself, and is counted under its reason", async () => {
    const id = await stopped({ reason: "GAP" });
    await stopped({ reason: "GAP" });
    await stopped({ state: "RETRYABLE" });
    expect(await task(id)).toMatchObject({ status: "OPEN", assignee_ref: null, version: 1 });
    expect(await groups()).toEqual([{ reason_code: "GAP", open: 2, kept: 0 }]);
  });

  it("that moves on is no task any more, and keeps who had it should it stop again", async () => {
    const id = await stopped();
    await assignTask(deps(), await call(ann, id));
    await db.superuser.$client`
      update inbox set state = 'PROCESSING', quarantined_at = null, lease_owner = 'W', lease_until = now(), version = version + 1 where id = ${id.slice(6)}`;
    expect(await task(id)).toMatchObject({ status: "CLOSED", assignee_ref: ann.ref });
    expect(await groups()).toEqual([]);
    await db.superuser.$client`
      update inbox set state = 'QUARANTINED', quarantined_at = now(), reason_code = 'GAP', lease_owner = null, lease_until = null, version = version + 1
      where id = ${id.slice(6)}`;
    expect(await task(id)).toMatchObject({ status: "OPEN", assignee_ref: ann.ref });
    expect(await groups()).toEqual([{ reason_code: "GAP", open: 1, kept: 0 }]);
  });
});

describe("an act", () => {
  it("is done once, however often its key comes, and is audited with the role", async () => {
    const id = await stopped();
    const sent = await call(ann, id);
    const first = await assignTask(deps(), sent);
    const second = await assignTask(deps(), sent);
    expect([first.replayed, second.replayed, first.body === second.body]).toEqual([false, true, true]);
    expect(bodyOf(first)).toMatchObject({ id, action: "assign", status: "OPEN", assigneeRef: ann.ref, version: "1", taskVersion: "2" });
    expect(await notes(id)).toEqual([{ act: "ASSIGNED", text: null, author_ref: ann.ref, to_ref: null }]);
    expect(await audited(id)).toEqual([{ act: "delivery.assign", result: "DONE", actor_role: "STAFF", reason_code: null }]);
  });

  it("O-3 on a row that changed since it was read is refused with what it is now, and the refusal is audited", async () => {
    const id = await stopped();
    const early = await call(ann, id);
    await assignTask(deps(), await call(bob, id));
    const answer = await keepQuarantined(deps(), { ...early, key: newUuid() }, "It is known.");
    expect([answer.status, bodyOf(answer)]).toEqual([
      409,
      expect.objectContaining({
        code: "row-stale",
        seen: { version: "1", taskVersion: "1" },
        now: { version: "1", taskVersion: "2", state: "QUARANTINED", assigneeRef: bob.ref },
        changedAt: expect.stringContaining("T"),
      }),
    ]);
    expect(await task(id)).toMatchObject({ status: "OPEN", assignee_ref: bob.ref });
    expect((await audited(id)).at(-1)).toMatchObject({
      act: "command.delivery.keepQuarantined",
      result: "REFUSED",
      reason_code: "row-stale",
    });
    await db.superuser.$client`update inbox set version = version + 1, reason_code = 'GAP' where id = ${id.slice(6)}`;
    expect(bodyOf(await addNote(deps(), early, "Seen."))).toMatchObject({ code: "row-stale" });
  });

  it("two people at the same moment: one has it, the other is told", async () => {
    const id = await stopped();
    const calls = [await call(ann, id), await call(bob, id)];
    const answers = await Promise.all(calls.map((one) => assignTask(deps(), one)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409]);
    expect(await notes(id)).toHaveLength(1);
  });

  it("that the state does not allow names why; a right that is missing is named", async () => {
    const processed = await stopped({ state: "PROCESSED" });
    expect(bodyOf(await keepQuarantined(deps(), await call(ann, processed), "Known."))).toMatchObject({
      code: "action-not-allowed",
      why: "ALREADY_SETTLED",
    });
    const running = await stopped({ state: "PROCESSING" });
    expect(bodyOf(await scheduleRetry(deps(), await call(ann, running), {}))).toMatchObject({
      why: "LIVE_LEASE",
      owner: "worker-1",
      until: expect.any(String),
    });
    const desk = await insertPerson(db.superuser, scope, "FRONT_DESK");
    const id = await stopped();
    await expect(assignTask(deps(), { ...(await call(ann, id)), actor: desk })).rejects.toMatchObject({
      code: "right-missing",
      extra: { right: "STAFF" },
    });
  });

  it("on a row of another clinic finds nothing", async () => {
    const elsewhere = await insertTestScope(db.superuser);
    const stranger = await insertPerson(db.superuser, elsewhere, "STAFF");
    const sent = await call(ann, await stopped());
    await expect(assignTask(deps(), { ...sent, actor: stranger, clinicId: elsewhere.clinicId })).rejects.toMatchObject({
      code: "not-found",
    });
  });
});

describe("hand over", () => {
  it("goes to another STAFF of the clinic, with a note that stays", async () => {
    const id = await stopped();
    await assignTask(deps(), await call(ann, id));
    const sent = await call(ann, id);
    const answer = await handOverTask(deps(), sent, { to: bob.ref, note: "The log was restored at noon." });
    expect(bodyOf(answer)).toMatchObject({ assigneeRef: bob.ref });
    await addNote(deps(), await call(bob, id), "Read it.");
    expect(await notes(id)).toEqual([
      { act: "ASSIGNED", text: null, author_ref: ann.ref, to_ref: null },
      { act: "HANDED_OVER", text: "The log was restored at noon.", author_ref: ann.ref, to_ref: bob.ref },
      { act: "NOTED", text: "Read it.", author_ref: bob.ref, to_ref: null },
    ]);
  });

  it("to somebody who is not STAFF there, or to oneself, is refused", async () => {
    const id = await stopped();
    await assignTask(deps(), await call(ann, id));
    const desk = await insertPerson(db.superuser, scope, "FRONT_DESK");
    for (const to of [desk.ref, ann.ref, "ST-NOBODY"])
      expect(bodyOf(await handOverTask(deps(), await call(ann, id), { to, note: "Please." }))).toMatchObject({ code: "subject-invalid" });
    expect(bodyOf(await handOverTask(deps(), await call(bob, id), { to: operator.ref, note: "Please." }))).toMatchObject({
      why: "NOT_YOURS",
    });
  });
});

describe("keep quarantined", () => {
  it("takes the row out of what needs a decision with name and reason, and it comes back when it changes; the words stay", async () => {
    const id = await stopped({ reason: "GAP" });
    const answer = await keepQuarantined(deps(), await call(ann, id), "Version 3 is lost for good.");
    expect(bodyOf(answer)).toMatchObject({ state: "QUARANTINED", status: "KEPT" });
    expect(await task(id)).toMatchObject({ status: "KEPT", kept_by_ref: ann.ref, kept_reason: "Version 3 is lost for good." });
    expect(await groups()).toEqual([{ reason_code: "GAP", open: 0, kept: 1 }]);
    await db.superuser.$client`update inbox set last_offset = last_offset + 1 where id = ${id.slice(6)}`; // a copy arrived: nothing new
    expect(await task(id)).toMatchObject({ status: "KEPT" });
    await db.superuser.$client`update inbox set reason_code = 'MISMATCH', version = version + 1 where id = ${id.slice(6)}`;
    expect(await task(id)).toMatchObject({ status: "OPEN", kept_by_ref: null, kept_reason: null });
    expect(await groups()).toEqual([{ reason_code: "MISMATCH", open: 1, kept: 0 }]);
    expect(await notes(id)).toMatchObject([{ act: "KEPT", text: "Version 3 is lost for good.", author_ref: ann.ref }]);
  });
});

describe("schedule retry", () => {
  it("sets the time of a waiting row, now or later, and its version moves", async () => {
    const id = await stopped({ state: "RETRYABLE" });
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const later = bodyOf(await scheduleRetry(deps(), await call(ann, id), { at }));
    expect([Date.parse(later.nextAttemptAt as string), later.version]).toEqual([Date.parse(at), "2"]);
    const now = bodyOf(await scheduleRetry(deps(), await call(ann, id), {}));
    const [row] = await db.superuser
      .$client`select next_attempt_at <= clock_timestamp() as due, state, attempts from inbox where id = ${id.slice(6)}`;
    expect([row?.due, row?.state, row?.attempts, now.version]).toEqual([true, "RETRYABLE", 5, "3"]);
    expect((await notes(id)).map((note) => note.act)).toEqual(["RETRY_SCHEDULED", "RETRY_SCHEDULED"]);
  });

  it("beyond its bounds is refused", async () => {
    const id = await stopped({ state: "RETRYABLE" });
    for (const hours of [-1, 25]) {
      const at = new Date(Date.now() + hours * 3_600_000).toISOString();
      expect(bodyOf(await scheduleRetry(deps(), await call(ann, id), { at }))).toMatchObject({ code: "subject-invalid" });
    }
  });

  it("does not run a stopped row: that takes an approved replay", async () => {
    expect(bodyOf(await scheduleRetry(deps(), await call(operator, await stopped()), {}))).toMatchObject({ why: "NEEDS_REPLAY" });
  });
});

describe("an act whose audit entry cannot be written", () => {
  it("does not happen", async () => {
    const id = await stopped();
    const sent = await call(ann, id);
    const sql = db.superuser.$client;
    await sql`revoke insert on audit_entries from aops_web`;
    await expect(keepQuarantined(deps(), sent, "Known.")).rejects.toThrow();
    await sql`grant insert on audit_entries to aops_web`;
    expect(await task(id)).toMatchObject({ status: "OPEN", version: 1 });
    expect(await notes(id)).toEqual([]);
    expect(bodyOf(await keepQuarantined(deps(), sent, "Known."))).toMatchObject({ status: "KEPT" });
  });
});
