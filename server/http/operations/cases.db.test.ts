// Faults of other booking systems, by their ids, and the rest of the conformance list, through the handlers on the real database.
import { Temporal } from "temporal-polyfill";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { insertAbsence, insertOutage } from "@/server/domain/clinics/set-up";
import { type ClinicFixture, createClinicFixture } from "@/server/domain/clinics/testing";
import { sweepOnce } from "@/server/domain/idempotency/sweep-once";
import { processWaiters } from "@/server/domain/idempotency/waiters";
import { checkInvariants } from "@/server/domain/operations/check-invariants";
import { tokenCommands } from "@/server/domain/scope/actor";
import { webEnv } from "@/server/env";
import { newUuid } from "@/server/ids";
import { clearTestPoints, setTestPoint } from "@/server/test-points";
import { factOperations } from "../openapi/fact-operations";
import { apiOperations } from "../openapi/operations";
import { createRateLimits, type RateLimits } from "../rate-limits";
import { methodNotAllowed, noSuchOperation } from "./no-such-operation";
import { getOpenApi } from "./read-openapi";
import { aTuesday, at, type Call, callApi, insertToken, makeTimes, newKey, type Operation, setWebEnvironment } from "./testing";

let db: TestDatabase;
let world: ClinicFixture;
let token: string;
const time = makeTimes("Europe/Berlin");

beforeAll(async () => {
  db = await createTestDatabase();
  setWebEnvironment(db.urls.web, { DATABASE_POOL_MAX: "4" });
  world = await createClinicFixture(db.migrator);
  token = await insertToken(db.migrator, world.t1.tenantGroupId, [world.t1.ber.id]);
});
afterEach(clearTestPoints);
afterAll(async () => {
  expect(await checkInvariants(db.superuser)).toEqual([]);
  await db.close();
});

const booking = (startsAt = time(), patient = 0) => ({
  patient: { id: world.t1.patients[patient]?.id },
  treatmentId: world.t1.ber.treatments.VISIT15,
  doctorId: world.t1.ber.doctors[0]?.id as string,
  startsAt,
});
const call = (operation: Operation, rest: Call = {}) => callApi(operation, { clinicId: world.t1.ber.id, token, ...rest });
const post = (body: unknown, key = newKey()) => call("createAppointment", { key, body });
const book = async (body: object) => {
  const reply = await post(body);
  expect(reply.status, reply.text).toBe(201);
  return reply.json;
};
const change = (operation: Operation, visit: { id: string; version: string }, body: object, key = newKey()) =>
  call(operation, { id: visit.id, ifMatch: `"${visit.version}"`, key, body });
const rowsOf = async (id: string) => {
  const [row] = await db.superuser.$client`
    select (select count(*)::int from outbox where aggregate_id = ${id}) as events,
           (select count(*)::int from appointment_history where appointment_id = ${id}) as changes,
           (select array_agg(kind order by appointment_version) from notification_intents where appointment_id = ${id}) as messages,
           (select count(*)::int from resource_claims where appointment_id = ${id}) as claims`;
  return row;
};

/** The next days on which a zone's clock is put forward, and back. */
function nextClockChanges(zone: string): [string, string] {
  const found: [string, string] = ["", ""];
  let day = Temporal.Now.zonedDateTimeISO(zone).startOfDay();
  while (!found[0] || !found[1]) {
    if (day.hoursInDay < 24) found[0] ||= day.toPlainDate().toString();
    if (day.hoursInDay > 24) found[1] ||= day.toPlainDate().toString();
    day = day.add({ days: 1 });
  }
  return found;
}

describe("booking", () => {
  it("H-A3 two requests cannot sit on one time; confirming is one change, and twice is stale", async () => {
    const requester = await insertToken(
      db.migrator,
      world.t1.tenantGroupId,
      [world.t1.ber.id],
      tokenCommands.filter((command) => command !== "appointments:confirm"),
    );
    const startsAt = time();
    const both = await Promise.all(
      [1, 2].map((patient) => call("createAppointment", { token: requester, body: booking(startsAt, patient) })),
    );
    expect(both.map((reply) => reply.status).sort()).toEqual([201, 409]);
    const [first, second] = both[0]?.status === 201 ? both : both.toReversed();
    expect(first?.json.status).toBe("REQUESTED");
    expect(second?.json.blockers[0].appointmentRef).toBe(first?.json.ref);
    const refused = await call("changeAppointmentStatus", {
      token: requester,
      id: first?.json.id,
      ifMatch: '"1"',
      body: { to: "CONFIRMED" },
    });
    expect([refused.status, refused.json.right]).toEqual([403, "appointments:confirm"]);
    const replies = await Promise.all([1, 2].map(() => change("changeAppointmentStatus", first?.json, { to: "CONFIRMED" })));
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 412]);
    expect(await rowsOf(first?.json.id)).toMatchObject({ events: 2, changes: 2, messages: ["REQUESTED", "CONFIRMED"] });
  });

  it("H-A6 a cancelled visit does not block the same person at the same time; the old key still tells the old answer", async () => {
    const body = booking();
    const key = newKey();
    const first = await post(body, key);
    await change("cancelAppointment", first.json, { reasonCode: "PATIENT_REQUEST" });
    const second = await book(body);
    expect(second.id).not.toBe(first.json.id);
    const replay = await post(body, key);
    expect([replay.text, replay.headers.get("idempotent-replayed")]).toEqual([first.text, "true"]);
    expect((await call("getAppointment", { id: first.json.id })).json.status).toBe("CANCELLED");
  });

  it("H-A8 who books the same time again under a new key is told of the own visit", async () => {
    const body = booking();
    const first = await book(body);
    const again = await post(body);
    expect(again.json).toMatchObject({ code: "slot-taken", detail: expect.stringContaining(first.ref) });
    expect(again.json.blockers.map((blocker: { code: string }) => blocker.code)).toContain("PATIENT_TAKEN");
  });

  it("H-B1 a hundred posts of one command: one visit, one message; a hundred without a key: none", async () => {
    const key = newKey();
    const body = booking();
    for (let i = 0; i < 100; i++) expect((await post(body, key)).status).toBe(201);
    const [row] = await db.superuser.$client`
      select count(distinct command_id)::int as commands, count(*)::int as calls from command_calls where key = ${key}`;
    expect(row).toEqual({ commands: 1, calls: 100 });
    const visit = (await post(body, key)).json;
    expect(await rowsOf(visit.id)).toMatchObject({ events: 1, changes: 1, messages: ["BOOKED"] });
    const before = await countVisits();
    for (let i = 0; i < 100; i++) expect((await call("createAppointment", { key: null, body: booking() })).status).toBe(400);
    expect(await countVisits()).toBe(before);
  });

  it("H-D1 one change is one event and one step of the version", async () => {
    const visit = await book(booking());
    expect(await rowsOf(visit.id)).toMatchObject({ events: 1, changes: 1 });
    const moved = await change("rescheduleAppointment", visit, { startsAt: time(), note: "asked for a later time" });
    expect(moved.json.version).toBe("2");
    const events = await db.superuser
      .$client`select type, aggregate_seq, payload from outbox where aggregate_id = ${visit.id} order by aggregate_seq`;
    expect(events.map((event) => [event.type, event.aggregate_seq])).toEqual([
      ["AppointmentCreated", "1"],
      ["AppointmentRescheduled", "2"],
    ]);
    expect(events[1]?.payload).toMatchObject({ fromStartsAt: visit.startsAt, startsAt: moved.json.startsAt, version: "2" });
    expect(JSON.stringify(events)).not.toContain("asked for");
  });

  it.each(["command.keyTaken", "command.worked", "command.answered"])(
    "H-D2 a fault at %s leaves neither visit nor event nor message",
    async (point) => {
      const before = await countVisits();
      setTestPoint(point, () => {
        throw new Error("the deposit was refused");
      });
      expect((await post(booking())).status).toBe(500);
      expect(await countVisits()).toBe(before);
    },
  );

  it("H-K1 any doctor is never one who is absent", async () => {
    const day = aTuesday.add({ days: 140 }).toString();
    const absent = world.t1.ber.doctors[1]?.id as string;
    await withTx(db.migrator, {}, (tx) => insertAbsence(tx, world.t1.ber, { doctorId: absent, from: day, until: day }));
    const any = (clock: string, patient: number) => ({ ...booking(at("Europe/Berlin", clock, 140), patient), doctorId: "any" });
    for (const [i, clock] of ["09:00", "09:30", "10:00", "10:30", "11:00"].entries())
      expect((await book(any(clock, i))).doctorId).toBe(world.t1.ber.doctors[0]?.id);
    expect((await post(any("09:00", 6))).status).toBe(409);
  });

  it("H-K2 a device that is out all day means no slot and no booking", async () => {
    const day = aTuesday.add({ days: 147 }).toString();
    await withTx(db.migrator, {}, (tx) =>
      insertOutage(tx, world.t1.ber, { resourceId: world.t1.ber.ultrasound.resourceId, from: day, until: day }),
    );
    const treatmentId = world.t1.ber.treatments.ULTRASOUND;
    expect((await call("listSlots", { query: { treatmentId, from: day } })).json.slots).toEqual([]);
    const refused = await post({ ...booking(at("Europe/Berlin", "10:00", 147)), treatmentId });
    expect(refused.json).toMatchObject({
      code: "not-available",
      blockers: [{ code: "EQUIPMENT_OUT", subject: { ref: world.t1.ber.ultrasound.ref } }],
    });
  });

  it("P-list a listed slot can be booked, and then it is not listed", async () => {
    const query = { treatmentId: world.t1.ber.treatments.VISIT60, from: aTuesday.add({ days: 154 }).toString() };
    const before = (await call("listSlots", { query })).json.slots;
    const slot = before.at(2);
    for (const doctorId of slot.doctorIds)
      await book({ ...booking(slot.startsAt, slot.doctorIds.indexOf(doctorId)), treatmentId: query.treatmentId, doctorId });
    const after = (await call("listSlots", { query })).json.slots.map(({ startsAt }: { startsAt: string }) => startsAt);
    expect(after).not.toContain(slot.startsAt);
    const refused = await post({ ...booking(slot.startsAt, 5), treatmentId: query.treatmentId, doctorId: "any" });
    expect(refused.json.code).toBe("slot-taken");
  });

  it("H-L1 any valid text is kept as it is; half a character is refused naming the field", async () => {
    const note = '🎉 𝔄 é (e\u0301) "quoted"';
    const visit = await book({ ...booking(), note });
    const [row] = await db.superuser.$client`select note from appointment_history where appointment_id = ${visit.id}`;
    expect(row?.note).toBe(note);
    expect(JSON.stringify(visit)).not.toContain("🎉");
    const broken = await post(`${JSON.stringify(booking()).slice(0, -1)},"note":"\\ud83c"}`);
    expect([broken.status, broken.json.detail]).toEqual([400, expect.stringContaining("note")]);
    const nul = await post(`${JSON.stringify(booking()).slice(0, -1)},"note":"a\\u0000b"}`);
    expect(nul.status).toBe(400);
  });

  it.each([
    "2027-02-30T10:00:00Z",
    "2027-02-09",
    "2027-02-09T10",
    "2027-02-30T10:00",
    "2027-02-09T25:00:00Z",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
    "now",
    "",
  ])("a start of %j is refused by its form", async (startsAt) => {
    expect(await post({ ...booking(), startsAt })).toMatchObject({ status: 400, json: { code: "request-invalid" } });
  });

  it("H-E2 a bare local time is the clinic's; one that its clock shows twice or never is refused, not guessed", async () => {
    const booked = await book(booking(at("Europe/Berlin", "10:30", 175).slice(0, 16)));
    expect(Date.parse(booked.startsAt)).toBe(Date.parse(at("Europe/Berlin", "10:30", 175)));
    const [forward, back] = nextClockChanges("Europe/Berlin");
    const never = await post(booking(`${forward}T02:30`));
    expect([never.status, never.json.code]).toEqual([422, "start-nonexistent"]);
    const twice = await post(booking(`${back}T02:30`));
    expect([twice.status, twice.json.code]).toEqual([422, "start-ambiguous"]);
    expect(twice.json.choices).toEqual([`${back}T02:30:00+02:00`, `${back}T02:30:00+01:00`]);
    const chosen = await post(booking(twice.json.choices[1]));
    expect(chosen.json.code).toBe("not-available"); // the clinic sleeps then, and that is what it says
  });

  it("a start in the past, off the grid or out of hours is refused with the reason", async () => {
    const blockers = async (startsAt: string) => (await post(booking(startsAt))).json.blockers.map(({ code }: { code: string }) => code);
    expect(await blockers("2020-02-04T10:00:00+01:00")).toContain("IN_THE_PAST");
    expect(await blockers(at("Europe/Berlin", "10:07"))).toContain("OFF_GRID");
    expect(await blockers(at("Europe/Berlin", "12:15"))).toContain("OUTSIDE_HOURS");
  });
});

describe("moving", () => {
  it("H-G3 a move checks everything again, names what blocks, and leaves the visit as it was", async () => {
    const treatmentId = world.t1.ber.treatments.ULTRASOUND;
    const one = await book({ ...booking(at("Europe/Berlin", "10:00", 161), 1), treatmentId });
    const other = await book({ ...booking(at("Europe/Berlin", "13:00", 161), 2), treatmentId, doctorId: world.t1.ber.doctors[1]?.id });
    const refused = await change("rescheduleAppointment", other, { startsAt: at("Europe/Berlin", "10:30", 161) });
    expect(refused.json).toMatchObject({ code: "slot-taken", blockers: [{ code: "EQUIPMENT_TAKEN", appointmentRef: one.ref }] });
    expect(refused.json.blockers[0].subject.ref).toBe(world.t1.ber.ultrasound.ref);
    const now = (await call("getAppointment", { id: other.id })).json;
    expect([now.startsAt, now.version]).toEqual([other.startsAt, "1"]);
    expect(await rowsOf(other.id)).toMatchObject({ events: 1, claims: 3 });
  });

  it("a visit never blocks its own move", async () => {
    const visit = await book({ ...booking(at("Europe/Berlin", "10:00", 168)), treatmentId: world.t1.ber.treatments.ULTRASOUND });
    const moved = await change("rescheduleAppointment", visit, { startsAt: at("Europe/Berlin", "10:30", 168) });
    expect([moved.status, moved.json.status, moved.json.id]).toEqual([200, "CONFIRMED", visit.id]);
    expect(await rowsOf(visit.id)).toMatchObject({ claims: 3, messages: ["BOOKED", "MOVED"] });
  });

  it("H-H2 the trail of a move has both times, who and why, in order; the note is for the desk alone", async () => {
    const visit = await book(booking());
    const startsAt = time();
    const moved = await change("rescheduleAppointment", visit, { startsAt, reasonCode: "PATIENT_REQUEST", note: "on holiday" });
    const { history } = (await call("getAppointmentHistory", { id: visit.id })).json;
    expect(history).toMatchObject([
      { version: "1", change: "CREATED", fromStartsAt: null, toStartsAt: visit.startsAt, actorKind: "token", source: "API" },
      {
        version: "2",
        change: "RESCHEDULED",
        fromStartsAt: visit.startsAt,
        toStartsAt: moved.json.startsAt,
        reasonCode: "PATIENT_REQUEST",
        note: null,
        commandId: moved.json.commandId,
      },
    ]);
  });

  it("P-noop to where it is already: 200, the same version, no event, no message", async () => {
    const visit = await book(booking());
    const key = newKey();
    const same = await change("rescheduleAppointment", visit, { startsAt: visit.startsAt }, key);
    expect([same.status, same.json.version, same.headers.get("etag")]).toEqual([200, "1", '"1"']);
    expect(await rowsOf(visit.id)).toMatchObject({ events: 1, changes: 1, messages: ["BOOKED"] });
    const [audit] = await db.superuser.$client`select result from audit_entries where command_id = ${same.json.commandId}`;
    expect(audit?.result).toBe("NO_CHANGE");
    expect((await change("rescheduleAppointment", visit, { startsAt: visit.startsAt }, key)).headers.get("idempotent-replayed")).toBe(
      "true",
    );
  });

  it("what waits for a new time is confirmed by it, holds nothing meanwhile, and cannot be confirmed without one", async () => {
    const visit = await book(booking());
    const released = await change("changeAppointmentStatus", visit, { to: "PENDING_RESCHEDULE", reasonCode: "DOCTOR_ABSENT" });
    expect(released.json.status).toBe("PENDING_RESCHEDULE");
    expect(await rowsOf(visit.id)).toMatchObject({ claims: 0, messages: ["BOOKED"] });
    const refused = await change("changeAppointmentStatus", released.json, { to: "CONFIRMED" });
    expect(refused.json).toMatchObject({ code: "move-not-allowed", state: "PENDING_RESCHEDULE" });
    const moved = await change("rescheduleAppointment", released.json, { startsAt: visit.startsAt });
    expect([moved.json.status, moved.json.version]).toEqual(["CONFIRMED", "3"]);
    expect(await rowsOf(visit.id)).toMatchObject({ claims: 2, messages: ["BOOKED", "MOVED"] });
  });

  it("an undo is the desk's: a token with every right is told so under its key, and no right is named that nobody could give it", async () => {
    for (const [status, to] of [
      ["CHECKED_IN", "CONFIRMED"],
      ["NO_SHOW", "CONFIRMED"],
      ["IN_PROGRESS", "CHECKED_IN"],
    ] as const) {
      const visit = await book(booking());
      const put = (state: string) =>
        db.superuser.$client.begin(async (sql) => {
          await sql`set local session_replication_role = replica`; // the state, not the way to it
          await sql`update appointments set status = ${state} where id = ${visit.id}`;
        });
      await put(status);
      const key = newKey();
      const body = { to, reasonCode: "WRONG_CLICK" };
      const refused = await change("changeAppointmentStatus", visit, body, key);
      expect(refused.json).toMatchObject({ status: 409, code: "move-not-allowed", action: "undo", state: status, why: "DESK_ONLY" });
      expect(refused.json.detail).toContain("at the desk only");
      expect(refused.json).not.toHaveProperty("right");
      const again = await change("changeAppointmentStatus", visit, body, key);
      expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([refused.text, "true"]);
      const [audit] = await db.superuser
        .$client`select reason_code, details from audit_entries where subject_id = ${visit.id} order by at desc`;
      expect(audit?.reason_code).toBe("move-not-allowed");
      expect(audit?.details ?? {}).not.toHaveProperty("right");
      await put("CONFIRMED"); // so that all rows agree again
    }
  });

  it("what is cancelled stays so", async () => {
    const visit = await book(booking());
    const cancelled = await change("cancelAppointment", visit, { reasonCode: "CLINIC_REQUEST" });
    expect(await rowsOf(visit.id)).toMatchObject({ claims: 0, messages: ["BOOKED", "CANCELLED"] });
    for (const [operation, body] of [
      ["cancelAppointment", { reasonCode: "OTHER" }],
      ["rescheduleAppointment", { startsAt: time() }],
      ["changeAppointmentStatus", { to: "CONFIRMED" }],
    ] as const)
      expect((await change(operation, cancelled.json, body)).json.code).toBe("move-not-allowed");
  });
});

describe("the conformance list", () => {
  it.each(["command.keyTaken", "command.worked", "command.answered"])(
    "a client that goes away at %s loses its answer, not its command",
    async (point) => {
      const key = newKey();
      const body = booking();
      const controller = new AbortController();
      setTestPoint(point, () => controller.abort());
      const request = new Request(`http://localhost/api/v1/clinics/${world.t1.ber.id}/appointments`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": key },
        body: JSON.stringify(body),
        signal: controller.signal,
      });
      const { postAppointment } = await import("./create-appointment");
      const lost = await postAppointment(request, { params: Promise.resolve({ clinicId: world.t1.ber.id }) });
      expect([lost.status, controller.signal.aborted]).toEqual([201, true]);
      clearTestPoints();
      const again = await post(body, key);
      expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
      expect(await rowsOf(again.json.id)).toMatchObject({ events: 1, changes: 1 });
    },
  );

  it("the retry comes first and the delayed original afterwards; a late copy of a create after its cancel creates nothing", async () => {
    const key = newKey();
    const body = booking();
    const retry = await post(body, key);
    await change("cancelAppointment", retry.json, { reasonCode: "PATIENT_REQUEST" });
    const before = await countVisits();
    expect((await post(body, key)).text).toBe(retry.text);
    expect(await countVisits()).toBe(before);
  });

  it("numbers and escapes that mean the same are the same command", async () => {
    const key = newKey();
    const body = { ...booking(), note: "é" };
    const first = await post(body, key);
    const escaped = JSON.stringify(body).replace("é", "\\u00e9");
    expect((await post(escaped, key)).text).toBe(first.text);
    expect((await post({ ...body, note: "e\u0301" }, key)).json.code).toBe("idempotency-key-reused");
  });

  it("fan-in: five rounds of three keys, eight calls each, leave three visits a round and nobody waiting", async () => {
    for (let round = 0; round < 5; round++) {
      const bodies = [1, 2, 3].map((patient) => [newKey(), booking(time(), patient)] as const);
      const replies = await Promise.all(bodies.flatMap(([key, body]) => Array.from({ length: 8 }, () => post(body, key))));
      expect(replies.every((reply) => reply.status === 201)).toBe(true);
      expect(new Set(replies.map((reply) => reply.json.id)).size).toBe(3);
      expect(processWaiters().count).toBe(0);
    }
  });

  it("429 of the rate limit comes before any key is read, and is not stored", async () => {
    const kept = globalThis as { appointmentOperationsRateLimits?: RateLimits };
    const usual = kept.appointmentOperationsRateLimits;
    const key = newKey();
    const body = booking();
    const limited = await insertToken(db.migrator, world.t1.tenantGroupId, [world.t1.ber.id]);
    kept.appointmentOperationsRateLimits = createRateLimits(db.web, { tokenPerMinute: 1, ring: webEnv().DIGEST_KEYS });
    await call("getAppointment", { token: limited, id: newUuid() });
    const reply = await call("createAppointment", { token: limited, key, body });
    kept.appointmentOperationsRateLimits = usual;
    expect([reply.status, reply.json.code]).toEqual([429, "rate-limited"]);
    expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await call("createAppointment", { token: limited, key, body })).headers.has("idempotent-replayed")).toBe(false);
  });

  it("a sweep removes what is over, in bounds, and leaves what is not", async () => {
    const [over, live] = [newKey(), newKey()];
    for (const key of [over, live]) await post(booking(), key);
    await db.superuser.$client`update idempotency_keys set expires_at = clock_timestamp() - interval '1 s' where key = ${over}`;
    expect(await sweepOnce(db.worker, "sweeper", 1)).toBe(1);
    expect(await sweepOnce(db.worker, "sweeper", 1)).toBe(0);
    const rows = await db.superuser.$client`select key from idempotency_keys where key in (${over}, ${live})`;
    expect(rows.map((row) => row.key)).toEqual([live]);
  });

  it("the trace of the call is kept with its event; a broken one is replaced", async () => {
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    const given = [`00-${trace}-00f067aa0ba902b7-01`, "00-zz", undefined];
    const kept = [];
    for (const traceparent of given) {
      const reply = await call("createAppointment", { body: booking(), headers: traceparent ? { traceparent } : {} });
      const [row] = await db.superuser.$client`select traceparent from outbox where aggregate_id = ${reply.json.id}`;
      kept.push(row?.traceparent);
    }
    expect(kept[0]).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`));
    expect(kept[0]).not.toBe(given[0]);
    for (const other of kept.slice(1)) expect(other).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  });

  it("no key, fingerprint, call or answer holds a plain digest or the text of a person", async () => {
    const secret = "Planted Personname";
    await post({ ...booking(), note: secret });
    for (const table of ["idempotency_keys", "command_calls", "outbox", "audit_entries", "notification_intents"]) {
      const rows = await db.superuser.$client.unsafe(`select count(*)::int as count from ${table} t where t::text like '%Personname%'`);
      expect(rows[0]?.count, table).toBe(0);
    }
  });

  it("every answer has the form that the OpenAPI document says, and its own code where it refuses", async () => {
    const visit = await book(booking());
    const query: Partial<Record<string, Record<string, string>>> = {
      listAppointments: { date: visit.localDate },
      listSlots: { treatmentId: world.t1.ber.treatments.VISIT30, from: visit.localDate, days: "2" },
      getClinic: { from: visit.localDate },
    };
    const key = newKey();
    await post(booking(), key);
    for (const { operationId, answer, method } of apiOperations) {
      if (method !== "get" || factOperations.some((one) => one.operationId === operationId)) continue; // facts.db.test.ts asks those
      const reply = await call(operationId as Operation, { id: visit.id, pathKey: key, query: query[operationId] ?? {} });
      expect(reply.status, `${operationId} ${reply.text}`).toBe(200);
      expect(answer.safeParse(reply.json).error, operationId).toBeUndefined();
      const known = Object.keys((answer as unknown as { shape: object }).shape);
      expect(Object.keys(reply.json).sort(), operationId).toEqual(known.sort());
    }
    expect((await call("listSlots", { query: { treatmentId: newUuid(), from: visit.localDate } })).json.code).toBe("not-found");
    expect((await call("listAppointments", { query: { date: "2027-02-30" } })).json.code).toBe("request-invalid");
    expect((await call("listAppointments", { query: { date: visit.localDate, cursor: "abc" } })).json.code).toBe("request-invalid");
  });
});

describe("addresses", () => {
  const context = { params: Promise.resolve({}) };
  const ask = (withToken: boolean) =>
    new Request("http://localhost/api/v1/nowhere", withToken ? { headers: { authorization: `Bearer ${token}` } } : {});

  it("that are none, or know other methods only, have a stable code, for whoever has a token", async () => {
    for (const [handler, status, code] of [
      [noSuchOperation, 404, "not-found"],
      [methodNotAllowed, 405, "method-not-allowed"],
    ] as const) {
      const reply = await handler(ask(true), context as never);
      expect([reply.status, (await reply.json()).code]).toEqual([status, code]);
      expect((await handler(ask(false), context as never)).status).toBe(401);
    }
  });

  it("the OpenAPI document is for everybody", async () => {
    const reply = await getOpenApi(new Request("http://localhost/api/openapi.json"), context as never);
    expect([reply.status, (await reply.json()).openapi]).toEqual([200, "3.1.0"]);
  });
});

describe("lists", () => {
  it("H-N1 pages have one total order: every visit once, whatever is booked meanwhile", async () => {
    const { nyc } = world.t1;
    const reader = await insertToken(db.migrator, world.t1.tenantGroupId, [nyc.id]);
    const inNyc = (clock: string, patient: number) => ({
      patient: { externalReference: `page-${patient}` },
      treatmentId: nyc.treatments.GROUP,
      startsAt: at("America/New_York", clock),
    });
    const ids: string[] = [];
    const bookIn = async (clock: string, patient: number) => {
      const reply = await callApi("createAppointment", { clinicId: nyc.id, token: reader, body: inNyc(clock, patient) });
      expect(reply.status, reply.text).toBe(201);
      return reply.json.id as string;
    };
    for (let i = 0; i < 23; i++) ids.push(await bookIn(["10:00", "13:00", "15:00"][Math.floor(i / 10)] as string, i));
    const seen: string[] = [];
    let cursor: string | null = null;
    for (let page = 1; cursor !== null || page === 1; page++) {
      const query: Record<string, string> = { date: aTuesday.toString(), limit: "5", ...(cursor === null ? {} : { cursor }) };
      const reply = await callApi("listAppointments", { clinicId: nyc.id, token: reader, query });
      seen.push(...reply.json.appointments.map((visit: { id: string }) => visit.id));
      cursor = reply.json.nextCursor;
      if (page === 2) await bookIn("09:00", 50);
    }
    expect(seen).toHaveLength(23);
    expect(new Set(seen)).toEqual(new Set(ids));
    const starts = (await callApi("listAppointments", { clinicId: nyc.id, token: reader, query: { date: aTuesday.toString() } })).json
      .appointments;
    expect(starts.map((visit: { startsAt: string }) => visit.startsAt)).toEqual(
      starts.map((visit: { startsAt: string }) => visit.startsAt).toSorted(),
    );
  });
});

const countVisits = async (): Promise<number> => {
  const [row] = await db.superuser.$client`select count(*)::int as count from appointments`;
  return row?.count;
};
