import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { AppError } from "@/server/app-error";
import { MemoryLog } from "@/server/domain/event-log/memory-log";
import { LogError } from "@/server/domain/event-log/port";
import { makeEffectsTable } from "@/server/domain/inbox/testing";
import type { SignedInPerson } from "@/server/domain/scope/load-actor";
import { newUuid } from "@/server/ids";
import { clearTestPoints, setTestPoint } from "@/server/test-points";
import { approveReplaySecond } from "./approve-replay";
import { asReplayOperator } from "./as-replay-operator";
import { controlReplay } from "./control-replay";
import { exportReceipt } from "./export-receipt";
import { isApprovedReplay } from "./is-approved";
import type { ReplayRequest } from "./read-request";
import { ReplayWorld, type StoppedRow } from "./testing";

let db: TestDatabase;
let world: ReplayWorld;
let operator: SignedInPerson;
beforeAll(async () => {
  db = await createTestDatabase();
  await makeEffectsTable(db.superuser);
  world = await ReplayWorld.open(db);
  operator = await world.person();
});
afterEach(clearTestPoints);
afterAll(() => db.close());

const one = async (reason?: string): Promise<StoppedRow> => (await world.stopped(1, reason))[0] as StoppedRow;
const bound = async (row: StoppedRow, requestId?: string): Promise<ReplayRequest> =>
  (await world.preview(operator, world.select(row), requestId)).request as ReplayRequest;
/** Code and what failed of a refusal, or "done". */
const endOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    (error) => (error instanceof AppError ? [error.code, ...((error.extra.failed as string[]) ?? [])].join(" ") : `${error}`),
  );
const second = (actor: SignedInPerson, request: ReplayRequest, digest = request.manifestDigest) =>
  approveReplaySecond(world.deps, actor, { clinicId: world.scope.clinicId, requestId: request.requestId, digest });
const setLimits = (records: number, hours: number) =>
  db.superuser
    .$client`update clinics set replay_records_limit = ${records}, replay_age_hours_limit = ${hours} where id = ${world.scope.clinicId}`;
const refusals = (subject: string) => db.superuser.$client`select ref, failed from replay_refusals where subject = ${subject} order by at`;

describe("a preview", () => {
  it("runs nothing, freezes rows, versions and the log's end, and is an entry of its own", async () => {
    const row = await one();
    const request = await bound(row);
    expect(request).toMatchObject({ state: "PREVIEWED", records: 1, matching: 1, needsSecond: false, approverRef: null });
    expect(request.ranges).toEqual([
      { partition: row.partition, first: row.offset, last: row.offset, logEnd: expect.any(String), records: 1 },
    ]);
    expect(request.ref).toMatch(/^MF-[0-9A-Z]{6}$/);
    expect(await world.acts(request.requestId)).toEqual(["replay.previewed DONE"]);
    expect(await world.row(row.id)).toMatchObject({ state: "QUARANTINED", version: row.version });
    expect(await world.run()).toMatchObject({ claimed: 0 });
  });

  it("again with the same id answers with the same manifest, from two windows at once too", async () => {
    const row = await one();
    const requestId = newUuid();
    const both = await Promise.all([bound(row, requestId), bound(row, requestId)]);
    const later = await bound(row, requestId);
    expect(new Set([...both, later].map(({ ref, manifestDigest }) => `${ref} ${manifestDigest}`)).size).toBe(1);
    expect(await world.acts(requestId)).toEqual(["replay.previewed DONE"]);
  });

  it("with an id that is bound to another row fails the check of it, keeps the id where it is, and is refused once", async () => {
    const [row, other] = [await one(), await one()];
    const { requestId, manifestDigest } = await bound(row);
    const pasted = await world.preview(operator, world.select(other), requestId);
    expect(pasted.request).toBeNull();
    expect(pasted.checks.map(({ name, result, why }) => `${name} ${result} ${why}`)).toEqual([
      "SCOPE PASS null",
      "REQUEST_BOUND FAIL OTHER_RANGE",
      "ORIGINAL_CONSUMER PASS null",
      "STATE PASS null",
      "OUTCOME_RECORDED PASS null",
    ]);
    expect(pasted.checks[1]?.recorded).toContain(`p${row.partition} ${row.offset}`);
    expect(pasted.checks[1]?.requested).toContain(`p${other.partition} ${other.offset}`);
    expect((await world.preview(operator, world.select(other), requestId)).refusal).toBe(pasted.refusal);
    expect(await refusals(other.id)).toEqual([{ ref: pasted.refusal, failed: ["REQUEST_BOUND"] }]);
    expect((await bound(row, requestId)).manifestDigest).toBe(manifestDigest);
    expect((await world.acts(requestId)).filter((act) => act === "replay.refused REFUSED")).toHaveLength(1);
  });

  it("with an id of another tenant group says that it is bound to nothing here", async () => {
    const elsewhere = await ReplayWorld.open(db);
    const [foreign] = await elsewhere.stopped(1);
    const theirs = await elsewhere.preview(await elsewhere.person(), elsewhere.select(foreign as StoppedRow));
    const mine = await world.preview(operator, world.select(await one()), theirs.request?.requestId as string);
    expect(mine).toMatchObject({ request: null, refusal: expect.stringMatching(/^RF-/) });
    expect(mine.checks[1]).toMatchObject({ result: "FAIL", why: "NOT_BOUND" });
    expect(await endOf(world.preview(operator, world.select(foreign as StoppedRow)))).toBe("not-found");
  });

  it("of a PROCESSED row, of another consumer and of an older version is refused by its check", async () => {
    const done = await one();
    await world.approved(operator, world.select(done));
    await world.run();
    const failed = async (selection: Parameters<ReplayWorld["preview"]>[1]) =>
      (await world.preview(operator, selection)).checks.filter(({ result }) => result === "FAIL").map(({ why }) => why);
    const now = await world.row(done.id);
    expect(await failed({ ...world.select(done), rowVersion: now.version } as never)).toEqual(["ALREADY_PROCESSED"]);
    const row = await one();
    expect(await failed(world.select(row, "daily-load-v1"))).toEqual(["OTHER_CONSUMER"]);
    expect(await failed({ ...world.select(row), rowVersion: "99" } as never)).toEqual(["ALL_CHANGED"]);
  });

  it("does not pass while the audit cannot be read", async () => {
    const row = await one();
    const { requestId } = await bound(row);
    const slow = { ...world.deps, db: Object.create(db.web) };
    let asked = 0;
    Object.defineProperty(slow.db, "$client", {
      value: Object.assign(Object.create(db.web.$client), {
        begin: (...args: never[]) => {
          asked += 1; // the first transaction binds, the second asks the audit
          if (asked === 2) return Promise.reject(Object.assign(new Error("timeout"), { code: "57014", severity: "ERROR" }));
          return (db.web.$client.begin as (...all: never[]) => unknown)(...args);
        },
      }),
    });
    const { previewReplay } = await import("./preview-replay");
    const seen = await previewReplay(slow, operator, { clinicId: world.scope.clinicId, requestId, selection: world.select(row) });
    expect(seen.checks[1]).toMatchObject({ result: "UNKNOWN", why: "AUDIT_NOT_READ" });
    expect(seen.refusal).toMatch(/^RF-/);
  });

  it("of a log that does not answer changes nothing", async () => {
    const away = Object.assign(new MemoryLog(), { watermarks: () => Promise.reject(new LogError("UNAVAILABLE", "away")) });
    const lost = { ...world.deps, eventLog: away };
    const { previewReplay } = await import("./preview-replay");
    const input = { clinicId: world.scope.clinicId, requestId: newUuid(), selection: world.select(await one()) };
    expect(await endOf(previewReplay(lost, operator, input))).toBe("event-log-unavailable");
    expect(await world.request(input.requestId)).toBeUndefined();
  });

  it("beyond the bounds is refused with what fits, and never clamped", async () => {
    const [first, last] = await world.stopped(2, "INVALID_PAYLOAD");
    const sql = db.superuser.$client;
    await sql`update inbox set last_partition = 1, partition = 1, last_offset = 10, first_offset = 10 where id = ${first?.id as string}`;
    await sql`update inbox set last_partition = 1, partition = 1, last_offset = 100010, first_offset = 100010 where id = ${last?.id as string}`;
    const refused = await world.preview(operator, world.group("INVALID_PAYLOAD")).catch((error) => error);
    expect(refused).toMatchObject({ code: "replay-over-bounds", extra: { records: 2, offsets: "100001", offsetsMax: 100_000, fits: 1 } });
    expect((await world.preview(operator, world.group("INVALID_PAYLOAD", 1))).request).toMatchObject({ records: 1, matching: 2 });
    await sql`update inbox set state = 'RETRYABLE', quarantined_at = null, next_attempt_at = clock_timestamp() + interval '1 hour' where reason_code = 'INVALID_PAYLOAD'`;
    expect(await endOf(world.preview(operator, world.group("INVALID_PAYLOAD")))).toBe("replay-refused NOTHING_TO_REPLAY");
  });
});

describe("an approval", () => {
  it("twice (double Enter, two windows) is one: the second call gets the first one's job", async () => {
    const row = await one();
    const request = await bound(row);
    const both = await Promise.all([world.approve(operator, request), world.approve(operator, request)]);
    expect(both.map(({ repeated }) => repeated).sort()).toEqual([false, true]);
    expect(new Set(both.map((approval) => approval.request.jobRef)).size).toBe(1);
    const colleague = await world.person();
    expect(await world.approve(colleague, request)).toMatchObject({ repeated: true, request: { approverRef: operator.ref } });
    expect(await world.run()).toMatchObject({ claimed: 1, ran: 1 });
    expect(await world.run()).toMatchObject({ claimed: 0 });
    expect(await world.effects(row.eventId)).toBe(1);
  });

  it("O-A of the same row under another request is answered with the first request's id, and shown at its preview", async () => {
    const row = await one();
    const [mine, theirs] = [await bound(row), await bound(row)];
    const colleague = await world.person();
    const ends = await Promise.all(
      [
        world.approve(operator, mine).then(({ request }) => request.requestId),
        world.approve(colleague, theirs).then(({ request }) => request.requestId),
      ].map((work) => work.catch((error) => `${error.code} ${error.extra.requestId}`)),
    );
    const winner = ends.find((end) => !end.startsWith("replay")) as string;
    expect(ends.filter((end) => end !== winner)).toEqual([`replay-already-open ${winner}`]);
    expect((await world.preview(colleague, world.select(row))).openRequest).toMatchObject({ requestId: winner, state: "QUEUED" });
    await world.run();
    expect(await world.effects(row.eventId)).toBe(1);
    expect((await world.preview(colleague, world.select(row))).openRequest).toBeNull();
  });

  it("over another digest, after the time of the preview, or of a row that changed is refused with a number", async () => {
    const row = await one();
    const request = await bound(row);
    expect(await endOf(world.approve(operator, { ...request, manifestDigest: "0".repeat(64) }))).toBe("replay-refused DIGEST_DIFFERS");
    await db.superuser.$client`update replay_requests set preview_expires_at = clock_timestamp() where request_id = ${request.requestId}`;
    expect(await endOf(world.approve(operator, request))).toBe("replay-refused REQUEST_BOUND");
    const again = await bound(row);
    await db.superuser.$client`update inbox set version = version + 1 where id = ${row.id}`;
    const refused = await world.approve(operator, again).catch((error) => error);
    expect(refused).toMatchObject({
      code: "replay-refused",
      extra: { failed: ["STATE"], refusal: expect.stringMatching(/^RF-[0-9A-Z]{6}$/) },
    });
    expect(await world.request(again.requestId)).toMatchObject({ state: "PREVIEWED", approver_id: null });
    expect(await world.run()).toMatchObject({ claimed: 0 });
  });

  it("O-11 whose audit entry cannot be written does not happen", async () => {
    const row = await one();
    const request = await bound(row);
    await db.superuser.$client.unsafe(
      "create or replace function no_audit() returns trigger language plpgsql as $$ begin raise exception 'audit is full'; end $$; create trigger no_audit before insert on audit_entries for each row execute function no_audit()",
    );
    try {
      expect(await endOf(world.approve(operator, request))).not.toBe("done");
      expect(await endOf(bound(await one()))).not.toBe("done");
      expect(await world.request(request.requestId)).toMatchObject({ state: "PREVIEWED", job_ref: null });
    } finally {
      await db.superuser.$client`drop trigger no_audit on audit_entries`;
    }
    await world.approve(operator, request);
    await db.superuser.$client`create trigger no_audit before insert on audit_entries for each row execute function no_audit()`;
    try {
      await expect(world.run()).rejects.toThrow();
      expect(await world.row(row.id)).toMatchObject({ state: "QUARANTINED", version: row.version });
      expect(await world.request(request.requestId)).toMatchObject({ state: "QUEUED", approval_used_at: null });
    } finally {
      await db.superuser.$client`drop trigger no_audit on audit_entries`;
    }
    expect(await world.run()).toMatchObject({ state: "COMPLETED" });
  });
});

describe("no act happens whose audit entry cannot be written", () => {
  const withoutAudit = async (act: () => Promise<unknown>) => {
    const sql = db.superuser.$client;
    await sql.unsafe(
      "create or replace function no_audit() returns trigger language plpgsql as $$ begin raise exception 'audit is full'; end $$; create trigger no_audit before insert on audit_entries for each row execute function no_audit()",
    );
    try {
      await expect(act()).rejects.toThrow();
    } finally {
      await sql`drop trigger no_audit on audit_entries`;
    }
  };
  const stored = async (requestId: string) => {
    const { state, wanted, version, second_approver_id } = (await world.request(requestId)) ?? {};
    return { state, wanted, version, second_approver_id };
  };

  it("a preview binds no id", async () => {
    const [row, requestId] = [await one(), newUuid()];
    await withoutAudit(() => world.preview(operator, world.select(row), requestId));
    expect(await world.request(requestId)).toBeUndefined();
    expect(await world.items(requestId)).toHaveLength(0);
  });

  it("pause, resume and cancel leave the job as it was", async () => {
    const request = await world.approved(operator, world.select(await one()));
    const act = (name: "PAUSE" | "RESUME" | "CANCEL") =>
      controlReplay(world.deps, operator, { clinicId: world.scope.clinicId, requestId: request.requestId, act: name });
    const queued = await stored(request.requestId);
    await withoutAudit(() => act("PAUSE"));
    await withoutAudit(() => act("CANCEL"));
    expect(await stored(request.requestId)).toEqual(queued);
    await act("PAUSE");
    const paused = await stored(request.requestId);
    await withoutAudit(() => act("RESUME"));
    expect([paused.state, await stored(request.requestId)]).toEqual(["PAUSED", paused]);
  });

  it("a second approval leaves the request waiting for one", async () => {
    await setLimits(1, 168);
    await world.stopped(2, "IDENTITY_CONFLICT");
    const request = await world.approved(operator, world.group("IDENTITY_CONFLICT"));
    await setLimits(10_000, 10_000);
    const waiting = await stored(request.requestId);
    const colleague = await world.person();
    await withoutAudit(() => second(colleague, request));
    expect([waiting.state, await stored(request.requestId)]).toEqual(["AWAITING_SECOND", waiting]);
  });

  it("a receipt is not handed out", async () => {
    const request = await world.approved(operator, world.select(await one()));
    expect(await world.run()).toMatchObject({ state: "COMPLETED" });
    const scope = { tenantGroupId: world.scope.tenantGroupId, clinicIds: [world.scope.clinicId] };
    await withoutAudit(() => exportReceipt(db.web, operator, scope, request.requestId));
    expect(await world.acts(request.requestId)).not.toContain("replay.exported DONE");
  });
});

describe("a second person", () => {
  it("must approve above the clinic's limit of records or age: somebody else, over the same digest, while it holds", async () => {
    await setLimits(1, 168);
    await world.stopped(2, "PARTITION_KEY_MISMATCH");
    const { request } = await world.preview(operator, world.group("PARTITION_KEY_MISMATCH"));
    const asked = (await world.approve(operator, request as ReplayRequest)).request;
    expect(asked).toMatchObject({ state: "AWAITING_SECOND", needsSecond: true });
    expect(await world.run()).toMatchObject({ claimed: 0 });
    expect(await endOf(second(operator, asked))).toBe("replay-refused SAME_PERSON");
    const colleague = await world.person();
    expect(await endOf(second(colleague, asked, "0".repeat(64)))).toBe("replay-refused DIGEST_DIFFERS");
    expect(await endOf(second(await world.person(["STAFF", "ADMIN"]), asked))).toBe("right-missing");
    const approved = await second(colleague, asked);
    expect(approved).toMatchObject({ repeated: false, request: { state: "QUEUED", secondApproverRef: colleague.ref } });
    expect(await second(colleague, asked)).toMatchObject({ repeated: true });
    expect(await endOf(second(await world.person(), asked))).toBe("replay-refused NOT_AWAITED");
    expect(await world.run()).toMatchObject({ state: "COMPLETED", ran: 2 });
    expect(await world.acts(asked.requestId)).toEqual([
      "replay.previewed DONE",
      "replay.approval-asked DONE",
      "replay.refused REFUSED",
      "replay.refused REFUSED",
      "replay.approved-second DONE",
      "replay.approved NO_CHANGE",
      "replay.refused REFUSED",
      "replay.started DONE",
      "replay.ended DONE",
    ]);
  });

  it("is needed for one old record, and by a limit that was lowered between preview and approval", async () => {
    await setLimits(100, 24);
    const old = await one();
    await db.superuser.$client`update inbox set received_at = received_at - interval '2 days' where id = ${old.id}`;
    expect(await bound(old)).toMatchObject({ needsSecond: true });
    const young = await bound(await one());
    expect(young.needsSecond).toBe(false);
    await setLimits(0, 24);
    expect((await world.approve(operator, young)).request).toMatchObject({ state: "AWAITING_SECOND", needsSecond: true });
    await setLimits(100, 168);
  });

  it("cannot be the first one by any way around: the table refuses it", async () => {
    await setLimits(0, 168);
    const asked = (await world.approve(operator, await bound(await one()))).request;
    await setLimits(100, 168);
    const forced = db.superuser.$client`
      update replay_requests set second_approver_id = approver_id, second_approver_ref = approver_ref, second_approved_at = approved_at, state = 'QUEUED'
      where request_id = ${asked.requestId}`;
    await expect(forced).rejects.toMatchObject({ constraint_name: "replay_requests_second" });
    const skipped = db.superuser.$client`update replay_requests set state = 'QUEUED' where request_id = ${asked.requestId}`;
    await expect(skipped).rejects.toMatchObject({ constraint_name: "replay_requests_second_first" });
    const swapped = db.superuser.$client`update replay_requests set manifest_digest = 'other' where request_id = ${asked.requestId}`;
    await expect(swapped).rejects.toMatchObject({ constraint_name: "replay_requests_digest" });
  });

  it("is waited for by a start that goes back over old events too", async () => {
    await setLimits(0, 168);
    const asked = (await world.approve(operator, await bound(await one()))).request;
    await setLimits(100, 168);
    const isApproved = (consumer = "test-effects-v1") => isApprovedReplay(db.worker, "w", asked.requestId, [consumer]);
    expect(await isApproved()).toBe(false);
    await second(await world.person(), asked);
    expect([await isApproved(), await isApproved("other-v1")]).toEqual([true, false]);
    await world.run();
  });

  it("who does not answer in time ends it: nothing ran, and the rows are free", async () => {
    await setLimits(0, 168);
    const row = await one();
    const asked = (await world.approve(operator, await bound(row))).request;
    await setLimits(100, 168);
    await db.superuser.$client`update replay_requests set approval_expires_at = clock_timestamp() where request_id = ${asked.requestId}`;
    expect(await endOf(second(await world.person(), asked))).toBe("replay-refused APPROVAL_OVER");
    expect(await world.run()).toMatchObject({ claimed: 0, expired: 1 });
    expect(await world.request(asked.requestId)).toMatchObject({ state: "EXPIRED", not_reached: 1, ended_reason: "APPROVAL_EXPIRED" });
    await world.approved(operator, world.select(row));
    expect(await world.run()).toMatchObject({ state: "COMPLETED" });
  });
});

describe("the role", () => {
  it("that is taken away between preview and approval is missed in the act's own transaction, and audited once", async () => {
    const person = await world.person();
    const row = await one();
    const { request } = await world.preview(person, world.select(row));
    await world.takeRole(person);
    expect(await endOf(world.approve(person, request as ReplayRequest))).toBe("right-missing");
    const notes = await db.superuser
      .$client`select act, reason_code from audit_entries where actor_ref = ${person.ref} and result = 'REFUSED'`;
    expect(notes).toEqual([{ act: "replay.refused", reason_code: "RIGHT_MISSING" }]);
    expect(await world.run()).toMatchObject({ claimed: 0 });
  });

  it("that is taken away at the same moment waits for the act, or is seen by it", async () => {
    const person = await world.person();
    const { request } = await world.preview(person, world.select(await one()));
    let taken: Promise<unknown> = Promise.resolve();
    let isTaken = false;
    setTestPoint("replay.rowsHeld", async () => {
      taken = Promise.resolve(world.takeRole(person)).then(() => {
        isTaken = true;
      });
      await new Promise((resolve) => setImmediate(resolve));
      expect(isTaken).toBe(false);
    });
    await world.approve(person, request as ReplayRequest);
    clearTestPoints();
    await taken;
    expect(await world.run()).toMatchObject({ claimed: 1, ran: 0 });
    expect(await world.request(request?.requestId as string)).toMatchObject({
      state: "INCOMPLETE",
      ended_reason: "ROLE_REMOVED",
      not_reached: 1,
    });
  });

  it("of a disabled user, in another clinic, of STAFF, of ADMIN, of a token and of a worker is none", async () => {
    const row = await one();
    const { clinicId, tenantGroupId } = world.scope;
    const other = await world.person();
    await db.superuser.$client`update users set disabled_at = clock_timestamp() where id = ${other.userId}`;
    expect(await endOf(world.preview(other, world.select(row)))).toBe("right-missing");
    const elsewhere = await world.person(["STAFF"]);
    await db.superuser.$client`
      insert into user_roles (tenant_group_id, user_id, role, clinic_id) values (${tenantGroupId}, ${elsewhere.userId}, 'APPOINTMENT_REPLAY_OPERATOR', ${newUuid()})`;
    expect(await endOf(world.preview(elsewhere, world.select(row)))).toBe("right-missing");
    expect(await endOf(world.preview(await world.person(["STAFF", "ADMIN", "FRONT_DESK"]), world.select(row)))).toBe("right-missing");
    const token = {
      kind: "token",
      tenantGroupId,
      clinicIds: [clinicId],
      clientId: newUuid(),
      tokenId: newUuid(),
      ref: "AC-1",
      commands: [],
    } as const;
    const enter = (actor: Parameters<typeof asReplayOperator>[1]) => endOf(asReplayOperator(db.web, actor, clinicId, async () => "in"));
    expect(await enter({ ...token, clinicIds: [clinicId], commands: [] })).toBe("right-missing");
    expect(await endOf(asReplayOperator(db.worker, { kind: "worker", worker: "w", tenantGroupId }, clinicId, async () => "in"))).toBe(
      "right-missing",
    );
    expect(await enter(operator)).toBe("done");
    const forged = { ...elsewhere, roles: [{ role: "APPOINTMENT_REPLAY_OPERATOR" as const, clinicId: null }] };
    expect(await enter(forged)).toBe("right-missing"); // what the session says is not asked
  });
});

describe("pause, resume and cancel", () => {
  const control = (act: "PAUSE" | "RESUME" | "CANCEL", { requestId }: { requestId: string }, actor = operator) =>
    controlReplay(world.deps, actor, { clinicId: world.scope.clinicId, requestId, act });

  it("are acts of an operator with an entry each, also when nothing changes", async () => {
    const row = await one();
    const request = await world.approved(operator, world.select(row));
    expect(await control("PAUSE", request)).toMatchObject({ repeated: false, request: { state: "PAUSED" } });
    expect(await control("PAUSE", request)).toMatchObject({ repeated: true });
    expect(await world.run()).toMatchObject({ claimed: 0 });
    expect(await control("RESUME", request)).toMatchObject({ request: { state: "QUEUED", wanted: "RUN" } });
    expect(await endOf(control("CANCEL", request, await world.person(["STAFF"])))).toBe("right-missing");
    expect(await control("CANCEL", request)).toMatchObject({ request: { state: "CANCELLED", receipt: { NOT_REACHED: 1, PROCESSED: 0 } } });
    expect(await control("CANCEL", request)).toMatchObject({ repeated: true });
    expect(await endOf(control("RESUME", request))).toBe("replay-refused RESUME_NOT_ALLOWED");
    expect(await world.row(row.id)).toMatchObject({ state: "QUARANTINED", version: row.version });
    expect((await world.acts(request.requestId)).slice(2)).toEqual([
      "replay.paused DONE",
      "replay.paused NO_CHANGE",
      "replay.resumed DONE",
      "replay.cancelled DONE",
      "replay.cancelled NO_CHANGE",
      "replay.refused REFUSED",
    ]);
    await world.approved(operator, world.select(row)); // the row is free again
    expect(await world.run()).toMatchObject({ state: "COMPLETED" });
  });
});
