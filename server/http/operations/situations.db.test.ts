// The table "One command, once" of docs/http-api.md, row by row, for every command of the API, through the handlers and on the real database.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { type ClinicFixture, createClinicFixture } from "@/server/domain/clinics/testing";
import { processWaiters, waiterPlace } from "@/server/domain/idempotency/waiters";
import { checkInvariants } from "@/server/domain/operations/check-invariants";
import { tokenCommands } from "@/server/domain/scope/actor";
import { newUuid } from "@/server/ids";
import { clearTestPoints, setTestPoint } from "@/server/test-points";
import { type Call, callApi, holdOwner, insertToken, makeTimes, newKey, type Operation, type Reply, setWebEnvironment } from "./testing";

let db: TestDatabase;
let world: ClinicFixture;
let token: string;
const time = makeTimes("Europe/Berlin");
const clientId = newUuid();

beforeAll(async () => {
  db = await createTestDatabase();
  setWebEnvironment(db.urls.web, { IDEMPOTENCY_WAIT_MS: "1000", DATABASE_POOL_MAX: "4" });
  world = await createClinicFixture(db.migrator);
  token = await insertToken(db.migrator, world.t1.tenantGroupId, [world.t1.ber.id], tokenCommands, clientId);
});
afterEach(clearTestPoints);
afterAll(async () => {
  expect(await checkInvariants(db.superuser)).toEqual([]);
  expect(processWaiters().count).toBe(0);
  await db.close();
});

const booking = () => ({
  patient: { id: world.t1.patients[0]?.id },
  treatmentId: world.t1.ber.treatments.VISIT15,
  doctorId: world.t1.ber.doctors[0]?.id,
  startsAt: time(),
});

/** Books a visit and gives what a change of it needs. */
async function booked(options: { token?: string; clinicId?: string } = {}): Promise<{ id: string; ifMatch: string }> {
  const reply = await callApi("createAppointment", { clinicId: world.t1.ber.id, token: options.token ?? token, body: booking() });
  expect(reply.status, reply.text).toBe(201);
  return { id: reply.json.id, ifMatch: '"1"' };
}

type Subject = { id?: string; ifMatch?: string };
type Case = {
  operation: Operation;
  status: number;
  right: string;
  subject: () => Promise<Subject>;
  body: () => Record<string, unknown>;
  other: () => Record<string, unknown>;
};
const withClinic = (body: () => Record<string, unknown>) => () => ({ clinicId: world.t1.ber.id, ...body() });
const commands: Case[] = [
  { operation: "createAppointment", status: 201, right: "appointments:create", subject: async () => ({}), body: booking, other: booking },
  {
    operation: "createInBody",
    status: 201,
    right: "appointments:create",
    subject: async () => ({}),
    body: withClinic(booking),
    other: withClinic(booking),
  },
  {
    operation: "rescheduleAppointment",
    status: 200,
    right: "appointments:reschedule",
    subject: booked,
    body: () => ({ startsAt: time() }),
    other: () => ({ startsAt: time() }),
  },
  {
    operation: "cancelAppointment",
    status: 200,
    right: "appointments:cancel",
    subject: booked,
    body: () => ({ reasonCode: "PATIENT_REQUEST" }),
    other: () => ({ reasonCode: "OTHER" }),
  },
  {
    operation: "changeAppointmentStatus",
    status: 200,
    right: "appointments:change-status",
    subject: booked,
    body: () => ({ to: "PENDING_RESCHEDULE", reasonCode: "DOCTOR_ABSENT" }),
    other: () => ({ to: "PENDING_RESCHEDULE", reasonCode: "OTHER" }),
  },
];
const changes = commands.filter(({ status }) => status === 200);

/** One prepared call of a command, with a key of its own. */
async function prepared(command: Case): Promise<Call & { key: string; body: Record<string, unknown> }> {
  return { clinicId: world.t1.ber.id, token, key: newKey(), ...(await command.subject()), body: command.body() };
}
const expectProblem = (reply: Reply, status: number, code: string) => {
  expect({ status: reply.status, code: reply.json?.code }).toEqual({ status, code });
  expect(reply.headers.get("content-type")).toBe("application/problem+json");
};
const countChanges = async (key: string): Promise<number> => {
  const [row] = await db.superuser.$client`
    select count(*)::int as count
    from appointment_history h
    join command_calls c on c.command_id = h.command_id and c.outcome = 'FIRST'
    where c.key = ${key}`;
  return row?.count;
};
const outcomes = async (key: string): Promise<string[]> =>
  (await db.superuser.$client`select outcome from command_calls where key = ${key} order by id`).map((row) => row.outcome);

describe.each(commands)("$operation", (command) => {
  const { operation, status } = command;

  it("first: the answer with Location, ETag and the key's expiry, never cached, never called a replay", async () => {
    const call = await prepared(command);
    const reply = await callApi(operation, { ...call, headers: { "idempotent-replayed": "true" } });
    expect(reply.status, reply.text).toBe(status);
    expect(reply.headers.get("location")).toBe(`/api/v1/clinics/${world.t1.ber.id}/appointments/${reply.json.id}`);
    expect(reply.headers.get("etag")).toBe(`"${reply.json.version}"`);
    expect(reply.headers.get("cache-control")).toBe("no-store");
    expect(reply.headers.has("idempotent-replayed")).toBe(false);
    expect(Date.parse(reply.headers.get("idempotency-key-expires") ?? "") - Date.now()).toBeGreaterThan(23.9 * 3_600_000);
    expect(await countChanges(call.key)).toBe(1);
  });

  it("same key, same request: the same bytes and headers, whatever the order of fields, white space or quotes", async () => {
    const call = await prepared(command);
    const first = await callApi(operation, call);
    const reordered = `  ${JSON.stringify(Object.fromEntries(Object.entries(call.body).reverse()), null, 3)}\n`;
    for (const again of [call, { ...call, body: reordered }, { ...call, key: `"${call.key}"` }]) {
      const reply = await callApi(operation, again);
      expect(reply.text).toBe(first.text);
      expect(reply.status).toBe(first.status);
      expect(reply.headers.get("idempotent-replayed")).toBe("true");
      for (const name of ["etag", "location", "content-type", "cache-control", "idempotency-key-expires"])
        expect(reply.headers.get(name)).toBe(first.headers.get(name));
    }
    expect(await countChanges(call.key)).toBe(1);
    expect(await outcomes(call.key)).toEqual(["FIRST", "REPLAYED", "REPLAYED", "REPLAYED"]);
  });

  it("same key, another request: 409, also for another operation, and nothing changes", async () => {
    const call = await prepared(command);
    await callApi(operation, call);
    const reused = await callApi(operation, { ...call, body: command.other() });
    expectProblem(reused, 409, "idempotency-key-reused");
    expect(reused.json.retryable).toBe(false);
    expect(reused.headers.has("retry-after")).toBe(false);
    const otherOperation: Operation = operation === "cancelAppointment" ? "rescheduleAppointment" : "cancelAppointment";
    const body = operation === "cancelAppointment" ? { startsAt: time() } : { reasonCode: "OTHER" };
    expectProblem(await callApi(otherOperation, { ...call, ...(await booked()), body }), 409, "idempotency-key-reused");
    expect(await countChanges(call.key)).toBe(1);
    expect(await outcomes(call.key)).toEqual(["FIRST", "REUSED", "REUSED"]);
  });

  it("its owner still running: a waiter gets the answer when it comes in time", async () => {
    const call = await prepared(command);
    const owner = holdOwner();
    const first = callApi(operation, call);
    await owner.started;
    let waits!: () => void;
    const waiting = new Promise<void>((resolve) => {
      waits = resolve;
    });
    setTestPoint("command.waiting", async () => {
      waits();
      await first; // so that its next look finds the answer
    });
    const second = callApi(operation, call);
    await waiting;
    owner.release();
    const [one, other] = await Promise.all([first, second]);
    expect(other.text).toBe(one.text);
    expect([one, other].map((reply) => reply.headers.get("idempotent-replayed"))).toEqual([null, "true"]);
  });

  it("its owner still running after the wait: 409 with Retry-After, and the retry afterwards gets the answer", async () => {
    const call = await prepared(command);
    const owner = holdOwner();
    const first = callApi(operation, call);
    await owner.started;
    const late = await callApi(operation, call);
    expectProblem(late, 409, "idempotency-in-progress");
    expect([late.headers.get("retry-after"), late.json.retryable]).toEqual(["1", true]);
    owner.release();
    expect((await callApi(operation, call)).text).toBe((await first).text);
    expect((await outcomes(call.key)).sort()).toEqual(["FIRST", "IN_PROGRESS", "REPLAYED"]);
  });

  it("its owner still running, another request under its key: in progress, for no answer is there to compare with; afterwards reused", async () => {
    const call = await prepared(command);
    const other = { ...call, body: command.other() };
    const owner = holdOwner();
    const first = callApi(operation, call);
    await owner.started;
    const early = await callApi(operation, other);
    expectProblem(early, 409, "idempotency-in-progress");
    expect(early.headers.get("retry-after")).toBe("1");
    owner.release();
    expect((await first).status).toBe(status);
    expectProblem(await callApi(operation, other), 409, "idempotency-key-reused");
    expect(await countChanges(call.key)).toBe(1);
    expect((await outcomes(call.key)).sort()).toEqual(["FIRST", "IN_PROGRESS", "REUSED"]);
  });

  it("more than eight wait: the ninth is sent away at once", async () => {
    const call = await prepared(command);
    const owner = holdOwner();
    const first = callApi(operation, call);
    await owner.started;
    const place = waiterPlace(world.t1.tenantGroupId, world.t1.ber.id, `client:${clientId}`, call.key);
    for (let i = 0; i < 8; i++) expect(processWaiters().enter(place)).toBe(true);
    const ninth = await callApi(operation, call);
    expectProblem(ninth, 429, "idempotency-overloaded");
    expect(Number(ninth.headers.get("retry-after"))).toBeGreaterThan(0);
    for (let i = 0; i < 8; i++) processWaiters().leave(place);
    owner.release();
    await first;
    expect((await callApi(operation, call)).headers.get("idempotent-replayed")).toBe("true");
    expect(await outcomes(call.key)).toEqual(["OVERLOADED", "FIRST", "REPLAYED"]);
  });

  it.each([
    ["none", null, "idempotency-key-required"],
    ["an empty one", "", "idempotency-key-invalid"],
    ["a blank one", "   ", "idempotency-key-invalid"],
    ["a short one", "k".repeat(15), "idempotency-key-invalid"],
    ["a long one", "k".repeat(256), "idempotency-key-invalid"],
    ["one with a comma, as two headers arrive", `${"k".repeat(20)}, ${"k".repeat(20)}`, "idempotency-key-invalid"],
    ["one beyond ASCII", `${"k".repeat(20)}é`, "idempotency-key-invalid"],
    ["half a quoted one", `"${"k".repeat(20)}`, "idempotency-key-invalid"],
  ])("key: %s is refused", async (_name, key, code) => {
    expectProblem(await callApi(operation, { ...(await prepared(command)), key }), 400, code);
  });

  it("another clinic or tenant in the path: 404 before any key is looked at, audited", async () => {
    const call = await prepared(command);
    await callApi(operation, call);
    for (const clinicId of [world.t1.nyc.id, world.t2.ktm.id, newUuid(), "no-id"]) {
      if (operation === "createInBody" && clinicId === "no-id") continue; // the body's clinic must be an id: 400
      const body = operation === "createInBody" ? { ...call.body, clinicId } : call.body;
      expectProblem(await callApi(operation, { ...call, clinicId, body }), 404, "not-found");
    }
    const [row] = await db.superuser.$client`select result, reason_code from audit_entries order by at desc limit 1`;
    expect(row).toEqual({ result: "REFUSED", reason_code: "not-found" });
    expect(await outcomes(call.key)).toEqual(["FIRST"]);
  });

  it("a missing right: 403 naming it, also for a known key, audited; a revoked token gets nothing at all", async () => {
    const call = await prepared(command);
    await callApi(operation, call);
    const reader = await insertToken(db.migrator, world.t1.tenantGroupId, [world.t1.ber.id], ["appointments:read"], clientId);
    const refused = await callApi(operation, { ...call, token: reader });
    expectProblem(refused, 403, "right-missing");
    expect(refused.json.right).toBe(command.right);
    const [audit] = await db.superuser.$client`select reason_code, details from audit_entries order by at desc limit 1`;
    expect(audit).toEqual({ reason_code: "right-missing", details: { right: command.right } });
    expectProblem(await callApi(operation, { ...call, token: "revoked" }), 401, "signed-out");
    expectProblem(await callApi(operation, { ...call, token: null }), 401, "signed-out");
    expect(await outcomes(call.key)).toEqual(["FIRST"]);
  });

  it("a key belongs to the client, not to its token, and to nobody else", async () => {
    const call = await prepared(command);
    const first = await callApi(operation, call);
    const rotated = await insertToken(db.migrator, world.t1.tenantGroupId, [world.t1.ber.id], tokenCommands, clientId);
    expect((await callApi(operation, { ...call, token: rotated })).text).toBe(first.text);
    const stranger = await insertToken(db.migrator, world.t1.tenantGroupId, [world.t1.ber.id]);
    const reply = await callApi(operation, { ...call, token: stranger });
    expect(reply.headers.has("idempotent-replayed")).toBe(false);
    expect(reply.text).not.toBe(first.text);
  });

  it("retention: until it is over a replay, then a new command", async () => {
    const call = await prepared(command);
    const first = await callApi(operation, call);
    await db.superuser.$client`update idempotency_keys set expires_at = clock_timestamp() + interval '1 minute' where key = ${call.key}`;
    expect((await callApi(operation, call)).headers.get("idempotent-replayed")).toBe("true");
    await db.superuser.$client`update idempotency_keys set expires_at = clock_timestamp() where key = ${call.key}`;
    const replies = await Promise.all([call, call, call].map((again) => callApi(operation, again)));
    for (const [i, reply] of replies.entries()) // a slow machine: its owner was still running
      if (reply.json.code === "idempotency-in-progress") replies[i] = await callApi(operation, call);
    expect(replies.filter((reply) => !reply.headers.has("idempotent-replayed"))).toHaveLength(1);
    expect(replies[0]?.text).not.toBe(first.text);
    expect(new Set(replies.map((reply) => reply.text)).size).toBe(1);
    // the place is taken, or the version is old: the new command is refused, and its refusal replayed
    expect([409, 412]).toContain(replies[0]?.status);
  });

  it("a body that is too large, of another type or not strict JSON is refused before the key is used", async () => {
    const call = await prepared(command);
    const text = JSON.stringify(call.body);
    expectProblem(await callApi(operation, { ...call, body: `${text}${" ".repeat(70_000)}` }), 413, "body-too-large");
    expectProblem(await callApi(operation, { ...call, headers: { "content-type": "text/plain" } }), 415, "media-type-unsupported");
    for (const body of ["", "{", `{"note":"a","note":"b"}`, `{"note":"\\ud800"}`, `{"n":9007199254740993}`])
      expectProblem(await callApi(operation, { ...call, body }), 400, "json-invalid");
    for (const body of ["[]", "null", "{}", text.replace("{", '{"unknown":1,')])
      expectProblem(await callApi(operation, { ...call, body }), 400, "request-invalid");
    expect((await callApi(operation, call)).status).toBe(status);
  });

  it("a fault after the work undoes all of it, stores nothing, and the retry is the first", async () => {
    const call = await prepared(command);
    setTestPoint("command.worked", () => {
      throw new Error("a fault");
    });
    expectProblem(await callApi(operation, call), 500, "internal-error");
    clearTestPoints();
    expect(await outcomes(call.key)).toEqual([]);
    const reply = await callApi(operation, call);
    expect([reply.status, reply.headers.get("idempotent-replayed")]).toEqual([status, null]);
  });
});

describe.each(changes)("$operation of a visit", (command) => {
  const { operation } = command;

  it("without If-Match: 428; with another form of it: 400", async () => {
    const call = await prepared(command);
    expectProblem(await callApi(operation, { ...call, ifMatch: null }), 428, "version-required");
    for (const ifMatch of ["*", "1", 'W/"1"', '"1", "2"', '"one"'])
      expectProblem(await callApi(operation, { ...call, ifMatch }), 400, "request-invalid");
    expect(await outcomes(call.key)).toEqual([]);
  });

  it("H-J2 a stale If-Match: 412 naming both versions, stored and replayed; with the same key and a newer version it is a reuse", async () => {
    const call = await prepared(command);
    const moved = await callApi("rescheduleAppointment", { ...call, key: newKey(), body: { startsAt: time() } });
    expect(moved.json.version).toBe("2");
    const stale = await callApi(operation, call);
    expectProblem(stale, 412, "version-stale");
    expect(stale.json).toMatchObject({ expectedVersion: "1", currentVersion: "2" });
    const again = await callApi(operation, call);
    expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([stale.text, "true"]);
    expectProblem(await callApi(operation, { ...call, ifMatch: '"2"' }), 409, "idempotency-key-reused");
    expect((await callApi(operation, { ...call, key: newKey(), ifMatch: '"2"' })).status).toBe(200);
  });

  it("H-M1, H-M2 an id of another clinic, of another tenant or of nobody: the same 404, nothing stored, audited", async () => {
    const call = await prepared(command);
    const strangers = await insertToken(db.migrator, world.t2.tenantGroupId, [world.t2.ktm.id]);
    const nyc = await insertToken(db.migrator, world.t1.tenantGroupId, [world.t1.nyc.id]);
    const replies = [
      await callApi(operation, { ...call, clinicId: world.t2.ktm.id, token: strangers }),
      await callApi(operation, { ...call, clinicId: world.t1.nyc.id, token: nyc }),
      await callApi(operation, { ...call, id: newUuid() }),
      await callApi(operation, { ...call, id: "no-id" }),
    ];
    for (const reply of replies) expectProblem(reply, 404, "not-found");
    const bodies = replies.map(({ json: { requestId, instance, ...rest } }) => JSON.stringify(rest));
    expect(new Set(bodies).size).toBe(1);
    expect(await outcomes(call.key)).toEqual([]);
    expect((await callApi("getAppointment", { ...call })).json.version).toBe("1");
  });
});

describe("a refusal decided from the data", () => {
  it("is stored with its audit entry and replayed, also when the reason is gone by then", async () => {
    const taken = booking();
    const owner = await callApi("createAppointment", { clinicId: world.t1.ber.id, token, body: taken });
    const call = { clinicId: world.t1.ber.id, token, key: newKey(), body: { ...taken, patient: { id: world.t1.patients[1]?.id } } };
    const refused = await callApi("createAppointment", call);
    expectProblem(refused, 409, "slot-taken");
    await callApi("cancelAppointment", { ...call, key: newKey(), id: owner.json.id, ifMatch: '"1"', body: { reasonCode: "OTHER" } });
    const again = await callApi("createAppointment", call);
    expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([refused.text, "true"]);
    expect((await callApi("createAppointment", { ...call, key: newKey() })).status).toBe(201);
    const [audit] = await db.superuser.$client`
      select a.result, a.reason_code from audit_entries a join command_calls c using (command_id) where c.key = ${call.key} limit 1`;
    expect(audit).toEqual({ result: "REFUSED", reason_code: "slot-taken" });
  });

  it("names what cannot be used: doctor, treatment or patient (422), stored", async () => {
    const wrong = { patient: { id: newUuid() }, treatmentId: newUuid(), doctorId: newUuid() };
    for (const [field, value] of Object.entries(wrong)) {
      const call = { clinicId: world.t1.ber.id, token, key: newKey(), body: { ...booking(), [field]: value } };
      const refused = await callApi("createAppointment", call);
      expectProblem(refused, 422, "subject-invalid");
      expect((await callApi("createAppointment", call)).text).toBe(refused.text);
    }
  });
});

describe("keys", () => {
  it("the short address and the long one are one command", async () => {
    const body = booking();
    const key = newKey();
    const first = await callApi("createAppointment", { clinicId: world.t1.ber.id, token, key, body });
    const again = await callApi("createInBody", { token, key, body: { ...body, clinicId: world.t1.ber.id } });
    expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([first.text, "true"]);
  });

  it("the same key in two tenants and in two clinics never meets", async () => {
    const key = newKey();
    const both = await insertToken(db.migrator, world.t1.tenantGroupId, [world.t1.ber.id, world.t1.nyc.id]);
    const t2 = await insertToken(db.migrator, world.t2.tenantGroupId, [world.t2.ktm.id]);
    const inClinic = (clinic: ClinicFixture["t1"]["ber"], patient: string | undefined, zone: string) => ({
      clinicId: clinic.id,
      key,
      body: { patient: { id: patient }, treatmentId: clinic.treatments.VISIT15, startsAt: makeTimes(zone)() },
    });
    const replies = [
      await callApi("createAppointment", { token: both, ...inClinic(world.t1.ber, world.t1.patients[2]?.id, "Europe/Berlin") }),
      await callApi("createAppointment", { token: both, ...inClinic(world.t1.nyc, world.t1.patients[2]?.id, "America/New_York") }),
      await callApi("createAppointment", { token: t2, ...inClinic(world.t2.ktm, world.t2.patients[2]?.id, "Asia/Kathmandu") }),
    ];
    expect(replies.map(({ status, text }) => (status === 201 ? 201 : text))).toEqual([201, 201, 201]);
    expect(new Set(replies.map((reply) => reply.json.id)).size).toBe(3);
  });

  it("look-up by key: the stored answer with the number of calls, the own keys only, 404 for none", async () => {
    const call = { clinicId: world.t1.ber.id, token, key: newKey(), body: booking() };
    const first = await callApi("createAppointment", call);
    await callApi("createAppointment", call);
    const found = await callApi("getCommand", { clinicId: world.t1.ber.id, token, pathKey: encodeURIComponent(call.key) });
    expect(found.json).toMatchObject({ operation: "createAppointment", calls: 2, answer: { status: 201, body: first.json, etag: '"1"' } });
    const stranger = await insertToken(db.migrator, world.t1.tenantGroupId, [world.t1.ber.id]);
    expectProblem(await callApi("getCommand", { clinicId: world.t1.ber.id, token: stranger, pathKey: call.key }), 404, "not-found");
    expectProblem(await callApi("getCommand", { clinicId: world.t1.ber.id, token, pathKey: newKey() }), 404, "not-found");
    expectProblem(await callApi("getCommand", { clinicId: world.t1.ber.id, token, pathKey: "short" }), 400, "idempotency-key-invalid");
  });
});
