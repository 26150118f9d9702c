// What happens when calls meet: on a pool of four connections, with the race opened at named points.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Db, openDb, withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { parseDigestKeys } from "@/server/canonical-hash";
import { createAppointment, createRoundTrips } from "@/server/domain/appointments/create-appointment";
import { createAppointment as createSchema } from "@/server/domain/appointments/types";
import { insertClosure } from "@/server/domain/clinics/set-up";
import { type ClinicFixture, createClinicFixture } from "@/server/domain/clinics/testing";
import type { CommandDeps } from "@/server/domain/idempotency/types";
import { processWaiters } from "@/server/domain/idempotency/waiters";
import { checkInvariants } from "@/server/domain/operations/check-invariants";
import type { PersonActor } from "@/server/domain/scope/actor";
import { newUuid } from "@/server/ids";
import { clearTestPoints, setTestPoint } from "@/server/test-points";
import { postAppointment } from "./create-appointment";
import { at, callApi, holdOwner, insertToken, makeTimes, newKey, type Reply, setWebEnvironment } from "./testing";

let db: TestDatabase;
let world: ClinicFixture;
let token: string;
const time = makeTimes("Europe/Berlin");
const digestKeys = parseDigestKeys(`k1:${Buffer.from("0123456789abcdefghijklmnopqrstuv").toString("base64")}`);

beforeAll(async () => {
  db = await createTestDatabase();
  setWebEnvironment(db.urls.web, { DATABASE_POOL_MAX: "4", IDEMPOTENCY_WAIT_MS: "10000" });
  world = await createClinicFixture(db.migrator, { patients: 60 });
  token = await insertToken(db.migrator, world.t1.tenantGroupId, world.t1.scope.clinicIds);
});
afterEach(clearTestPoints);
afterAll(async () => {
  expect(await checkInvariants(db.superuser)).toEqual([]);
  expect(processWaiters().count).toBe(0);
  await db.close();
});

const booking = (startsAt = time(), patient = 0) => ({
  patient: { id: world.t1.patients[patient]?.id },
  treatmentId: world.t1.ber.treatments.VISIT15,
  doctorId: world.t1.ber.doctors[0]?.id as string,
  startsAt,
});
const post = (body: object, key = newKey()) => callApi("createAppointment", { clinicId: world.t1.ber.id, token, key, body });
const deps = (over: Partial<CommandDeps> = {}): CommandDeps => ({ db: db.web, digestKeys, retentionHours: 24, waitMs: 10_000, ...over });
const desk = (): PersonActor => ({
  kind: "person",
  tenantGroupId: world.t1.tenantGroupId,
  clinicIds: [world.t1.ber.id],
  userId: newUuid(),
  ref: "ST-000001",
  roles: [{ role: "FRONT_DESK", clinicId: world.t1.ber.id }],
});
const book = (over: Partial<CommandDeps>, body: object, key = newKey()) =>
  createAppointment(
    deps(over),
    { actor: desk(), clinicId: world.t1.ber.id, key, requestId: newUuid(), method: "MUTATION", body },
    createSchema.parse(body),
  );
const statuses = (replies: Reply[]) => replies.map((reply) => reply.status).sort();
const busyConnections = async () => {
  const [row] = await db.superuser.$client`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name = 'web' and state <> 'idle'`;
  return row?.count;
};

function gate() {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describe("the same command, many times at once", () => {
  it.each([2, 10, 50])("%i calls: one change, one first answer, the same bytes for all who are answered", async (calls) => {
    const key = newKey();
    const body = booking();
    const replies = await Promise.all(Array.from({ length: calls }, () => post(body, key)));
    const done = replies.filter((reply) => reply.status === 201);
    expect(new Set(done.map((reply) => reply.text)).size).toBe(1);
    expect(done.filter((reply) => !reply.headers.has("idempotent-replayed"))).toHaveLength(1);
    for (const reply of replies) if (reply.status !== 201) expect(reply.json.code).toBe("idempotency-overloaded");
    const [row] = await db.superuser.$client`
      select (select count(*)::int from appointments where id = ${done[0]?.json.id}) as visits,
             (select count(*)::int from outbox where aggregate_id = ${done[0]?.json.id}) as events,
             (select count(*)::int from notification_intents where appointment_id = ${done[0]?.json.id}) as messages,
             (select count(*)::int from command_calls where key = ${key}) as calls`;
    expect(row).toEqual({ visits: 1, events: 1, messages: 1, calls });
  });

  it("50 retries of a held command on a pool of four: no waiter holds a connection, and an unrelated read is answered", async () => {
    const other = await post(booking());
    const key = newKey();
    const body = booking();
    const resume = gate();
    const owner = holdOwner();
    setTestPoint("command.waiting", () => resume.opened); // every waiter rests where it sleeps
    const first = post(body, key);
    await owner.started;
    const later = Array.from({ length: 50 }, () => post(body, key));
    const sentAway: Reply[] = [];
    for (const reply of later) reply.then((it) => it.status === 429 && sentAway.push(it));
    while (sentAway.length < 42 || processWaiters().count < 8) await new Promise((resolve) => setTimeout(resolve, 2));
    expect(await busyConnections()).toBe(1); // the owner's
    const read = await callApi("getAppointment", { clinicId: world.t1.ber.id, token, id: other.json.id });
    expect(read.status).toBe(200);
    owner.release();
    await first;
    resume.open();
    const replies = await Promise.all(later);
    expect(statuses(replies)).toEqual([...Array(8).fill(201), ...Array(42).fill(429)]);
    expect(replies.filter((reply) => reply.status === 201).every((reply) => reply.headers.get("idempotent-replayed") === "true")).toBe(
      true,
    );
  });

  it("64 wait in a process at most, whatever their keys", async () => {
    const [started, release, resume] = [gate(), gate(), gate()];
    let owners = 0;
    setTestPoint("command.keyTaken", async () => {
      owners += 1;
      if (owners === 2) started.open();
      await release.opened;
    });
    setTestPoint("command.waiting", () => resume.opened);
    const bodies = [booking(), booking()];
    const keys = [newKey(), newKey()];
    const firsts = bodies.map((body, i) => post(body, keys[i]));
    await started.opened;
    const waiters = processWaiters();
    for (let i = 0; i < 60; i++) expect(waiters.enter(`elsewhere ${i}`)).toBe(true);
    const later = bodies.flatMap((body, i) => Array.from({ length: 4 }, () => post(body, keys[i])));
    const settled = await firstSettled(later, 4);
    expect(settled.map((reply) => reply.json.code)).toEqual(Array(4).fill("idempotency-overloaded"));
    release.open();
    await Promise.all(firsts);
    resume.open();
    await Promise.all(later);
    for (let i = 0; i < 60; i++) waiters.leave(`elsewhere ${i}`);
  });

  it("without the advisory lock the unique key alone keeps it one", async () => {
    const key = newKey();
    const body = booking();
    const answers = await Promise.all(Array.from({ length: 6 }, () => book({ advisoryLock: false }, body, key)));
    expect(new Set(answers.map((answer) => answer.body)).size).toBe(1);
    expect(answers.filter((answer) => !answer.replayed)).toHaveLength(1);
  });

  it("a caller that goes away while it waits changes nothing and gives its place back; its retry gets the owner's answer", async () => {
    const key = newKey();
    const body = booking();
    const controller = new AbortController();
    const gone = gate();
    const owner = holdOwner();
    const first = post(body, key);
    await owner.started;
    setTestPoint("command.waiting", async () => {
      controller.abort();
      gone.open();
      await first; // so that its next look finds the answer
    });
    const clinicId = world.t1.ber.id;
    const request = new Request(`http://localhost/api/v1/clinics/${clinicId}/appointments`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify(body),
      signal: controller.signal,
    });
    const waiting = postAppointment(request, { params: Promise.resolve({ clinicId }) });
    await gone.opened;
    expect([request.signal.aborted, processWaiters().count]).toEqual([true, 1]);
    owner.release();
    const [answer, unread] = await Promise.all([first, waiting]);
    expect([unread.status, unread.headers.get("idempotent-replayed"), processWaiters().count]).toEqual([201, "true", 0]);
    const again = await post(body, key);
    expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([answer.text, "true"]);
    const [row] = await db.superuser.$client`
      select (select count(*)::int from outbox where aggregate_id = ${answer.json.id}) as events,
             (select array_agg(outcome order by id) from command_calls where key = ${key}) as calls`;
    expect(row).toEqual({ events: 1, calls: ["FIRST", "REPLAYED", "REPLAYED"] });
  });

  it("an owner that is undone leaves the key to exactly one of those who wait", async () => {
    const key = newKey();
    const body = booking();
    const [started, release] = [gate(), gate()];
    let failures = 0;
    setTestPoint("command.worked", async () => {
      if (failures > 0) return;
      failures += 1;
      started.open();
      await release.opened;
      throw new Error("a fault");
    });
    const first = post(body, key);
    await started.opened;
    const later = [post(body, key), post(body, key), post(body, key)];
    while (processWaiters().count < 3) await new Promise((resolve) => setTimeout(resolve, 2));
    release.open();
    expect((await first).status).toBe(500);
    const replies = await Promise.all(later);
    expect(statuses(replies)).toEqual([201, 201, 201]);
    expect(replies.filter((reply) => !reply.headers.has("idempotent-replayed"))).toHaveLength(1);
  });
});

describe("different commands for one place", () => {
  it("H-A1 ten at once for one time, and five and five for overlapping times: one is booked, the others are told who has it", async () => {
    const startsAt = at("Europe/Berlin", "10:00");
    const half = (patient: number, start: string) => ({ ...booking(start, patient), treatmentId: world.t1.ber.treatments.VISIT30 });
    const replies = await Promise.all(Array.from({ length: 10 }, (_, i) => post(half(i, startsAt))));
    expect(statuses(replies)).toEqual([201, ...Array(9).fill(409)]);
    const winner = replies.find((reply) => reply.status === 201);
    for (const reply of replies.filter((it) => it.status === 409)) {
      expect(reply.json).toMatchObject({ code: "slot-taken" });
      expect(reply.json.blockers[0]).toMatchObject({ code: "DOCTOR_TAKEN", appointmentRef: winner?.json.ref });
    }
    const [events] = await db.superuser.$client`select count(*)::int as count from outbox where aggregate_id = ${winner?.json.id}`;
    expect(events?.count).toBe(1);
    const starts = [at("Europe/Berlin", "14:00"), at("Europe/Berlin", "14:15")];
    const mixed = await Promise.all(Array.from({ length: 10 }, (_, i) => post(half(10 + i, starts[i % 2] as string))));
    expect(mixed.filter((reply) => reply.status === 201).length).toBe(1);
  });

  it("H-O4 two at once for any doctor get one each, a third nobody", async () => {
    const startsAt = time();
    const any = (patient: number) => ({ ...booking(startsAt, patient), doctorId: "any" });
    const replies = await Promise.all([post(any(1)), post(any(2))]);
    expect(statuses(replies)).toEqual([201, 201]);
    expect(new Set(replies.map((reply) => reply.json.doctorId)).size).toBe(2);
    expect((await post(any(3))).json.code).toBe("slot-taken");
  });

  it("one patient cannot be booked twice at a time, with two doctors at once", async () => {
    const startsAt = time();
    const replies = await Promise.all(world.t1.ber.doctors.map((doctor) => post({ ...booking(startsAt, 4), doctorId: doctor.id })));
    expect(statuses(replies)).toEqual([201, 409]);
    expect(replies.find((reply) => reply.status === 409)?.json.blockers[0].code).toBe("PATIENT_TAKEN");
  });

  it("two callers that bring the same new patient at once make one", async () => {
    const patient = { externalReference: `new-${newUuid()}` };
    const replies = await Promise.all([1, 2].map(() => post({ ...booking(), patient })));
    expect(statuses(replies)).toEqual([201, 201]);
    expect(new Set(replies.map((reply) => reply.json.patientId)).size).toBe(1);
    const [row] = await db.superuser.$client`
      select name, name_search from patients where external_reference = ${patient.externalReference}`;
    expect(row).toEqual({ name: null, name_search: "" });
  });

  it("H-I2 five cancels at once: one transition; cancel against move: one wins, the other is stale", async () => {
    const visit = await post(booking());
    const change = { clinicId: world.t1.ber.id, token, id: visit.json.id, ifMatch: '"1"' };
    const cancel = () => callApi("cancelAppointment", { ...change, key: newKey(), body: { reasonCode: "PATIENT_REQUEST" } });
    expect(statuses(await Promise.all([1, 2, 3, 4, 5].map(cancel)))).toEqual([200, 412, 412, 412, 412]);
    const other = await post(booking());
    const both = await Promise.all([
      callApi("cancelAppointment", { ...change, id: other.json.id, body: { reasonCode: "PATIENT_REQUEST" } }),
      callApi("rescheduleAppointment", { ...change, id: other.json.id, body: { startsAt: time() } }),
    ]);
    expect(statuses(both)).toEqual([200, 412]);
    const now = await callApi("getAppointment", { ...change, id: other.json.id });
    expect([now.json.version, now.json.status]).toEqual(["2", both[0]?.status === 200 ? "CANCELLED" : "CONFIRMED"]);
  });

  it("a closure that is saved while a booking decides: the booking waits and sees it, or the closure waits and sees the booking", async () => {
    const startsAt = at("Europe/Berlin", "10:00", 203);
    const day = startsAt.slice(0, 10);
    const [locked, release] = [gate(), gate()];
    const closing = withTx(db.migrator, {}, async (tx) => {
      await insertClosure(tx, world.t1.ber, { from: day, until: day, reason: "Water damage" });
      locked.open();
      await release.opened; // a test plays the slow writer
    });
    await locked.opened;
    const booked = post(booking(startsAt));
    await untilWaiting(db);
    release.open();
    await closing;
    const reply = await booked;
    expect(reply.json.code).toBe("not-available");
    expect(reply.json.blockers.map((blocker: { code: string }) => blocker.code)).toContain("CLOSED");
  });
});

describe("the wire", () => {
  it("create takes a fixed number of round trips between BEGIN and COMMIT", async () => {
    const counted = countStatements(db.web);
    await book({ db: counted.db }, booking());
    expect(counted.count()).toBe(createRoundTrips);
    await book({ db: counted.db }, booking());
    expect(counted.count()).toBe(2 * createRoundTrips);
  });

  it("the answer to COMMIT is lost: the stored answer ends the doubt, and is a first answer", async () => {
    const key = newKey();
    const body = booking();
    const answer = await book({ db: losingCommit(db.web, "after") }, body, key);
    expect([answer.status, answer.replayed]).toEqual([201, false]);
    const again = await book({}, body, key);
    expect([again.body, again.replayed]).toEqual([answer.body, true]);
  });

  it("the answer to COMMIT is lost and nothing is stored: unknown, and the retry under the same key is the first", async () => {
    const key = newKey();
    const body = booking();
    await expect(book({ db: losingCommit(db.web, "before") }, body, key)).rejects.toMatchObject({
      code: "outcome-unknown",
      status: 503,
      retryAfterSeconds: 1,
      detail: expect.stringContaining("same key"),
    });
    expect((await book({}, body, key)).replayed).toBe(false);
  });

  it("a connection that dies under the work leaves nothing, and is an outage (503), no refusal", async () => {
    const key = newKey();
    const body = booking();
    setTestPoint("command.worked", async () => {
      await db.superuser.$client`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'test' and state = 'idle in transaction' and usename = 'aops_web'`;
    });
    await expect(book({}, body, key)).rejects.toMatchObject({ code: "database-unavailable", status: 503 });
    clearTestPoints();
    expect((await book({}, body, key)).replayed).toBe(false);
  });

  it("a conflict of the database runs the whole command again; one that does not end is contention (409), and nothing is stored", async () => {
    const conflict = (code: string) => Object.assign(new Error("conflict"), { code, severity: "ERROR" });
    let runs = 0;
    setTestPoint("command.worked", () => {
      runs += 1;
      if (runs <= 2) throw conflict(runs === 1 ? "40001" : "40P01");
    });
    expect((await book({}, booking())).status).toBe(201);
    expect(runs).toBe(3);
    const key = newKey();
    const body = booking();
    setTestPoint("command.worked", () => {
      throw conflict("40001");
    });
    await expect(book({}, body, key)).rejects.toMatchObject({ code: "contention", status: 409, retryAfterSeconds: 1 });
    clearTestPoints();
    expect((await book({}, body, key)).replayed).toBe(false);
  });

  it("a database that cannot be reached is an outage", async () => {
    const away = openDb("postgres://aops_web:x@127.0.0.1:9/none", { max: 1 });
    await expect(book({ db: away }, booking())).rejects.toMatchObject({ code: "database-unavailable", status: 503 });
    await away.$client.end({ timeout: 0 });
  });

  it("a digest key that was rotated still reads what it made; one that is gone is 503, never a second booking", async () => {
    const key = newKey();
    const body = booking();
    const first = await book({}, body, key);
    const old = `k1:${Buffer.from("0123456789abcdefghijklmnopqrstuv").toString("base64")}`;
    const young = `k2:${Buffer.from("vutsrqponmlkjihgfedcba9876543210").toString("base64")}`;
    const again = await book({ digestKeys: parseDigestKeys(`${young},${old}`) }, body, key);
    expect([again.body, again.replayed]).toEqual([first.body, true]);
    await expect(book({ digestKeys: parseDigestKeys(young) }, body, key)).rejects.toMatchObject({
      code: "fingerprint-unreadable",
      status: 503,
    });
  });
});

async function firstSettled(replies: Promise<Reply>[], count: number): Promise<Reply[]> {
  const settled: Reply[] = [];
  for (const reply of replies) reply.then((it) => settled.push(it));
  while (settled.length < count) await new Promise((resolve) => setTimeout(resolve, 2));
  return settled.slice(0, count);
}

/** A booking stands at the scope row that the closure has changed. */
async function untilWaiting({ superuser }: TestDatabase): Promise<void> {
  for (;;) {
    const [row] = await superuser.$client`
      select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    if (row?.count > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Counts what is sent inside transactions: each statement and each savepoint is one round trip; the settings travel with the first. */
function countStatements(real: Db): { db: Db; count: () => number } {
  let count = 0;
  const counting = (raw: object): object =>
    new Proxy(raw, {
      apply: (target, self, args) => counted(Reflect.apply(target as never, self, args)),
      get: (target, name) => {
        if (name === "savepoint")
          return (fn: (sp: object) => unknown) => {
            count += 1;
            return (target as { savepoint: (fn: (sp: object) => unknown) => unknown }).savepoint((sp) => fn(counting(sp)));
          };
        if (name === "unsafe")
          return (...args: unknown[]) => {
            return counted(
              (target as { unsafe: (...args: unknown[]) => unknown }).unsafe(...args),
              String(args[0]).startsWith("set local"),
            );
          };
        return Reflect.get(target, name);
      },
    });
  const counted = (query: unknown, isFree = false): unknown => {
    const statement = query as { handle?: () => unknown; executed?: boolean };
    if (typeof statement.handle === "function" && !isFree) {
      const run = statement.handle.bind(statement);
      statement.handle = () => {
        if (!statement.executed) count += 1; // a fragment inside another statement is never run by itself
        return run();
      };
    }
    return query;
  };
  const client = new Proxy(real.$client, {
    get: (target, name) =>
      name === "begin"
        ? (options: string, fn: (raw: object) => unknown) => target.begin(options, (raw) => fn(counting(raw)) as never)
        : Reflect.get(target, name),
  });
  return { db: Object.create(real, { $client: { value: client } }), count: () => count };
}

/** A database whose first COMMIT is cut off: after it was carried out, or before it arrived. */
function losingCommit(real: Db, when: "before" | "after"): Db {
  let isFirst = true;
  const lost = () => Object.assign(new Error("lost"), { code: "CONNECTION_CLOSED" });
  const begin = async (options: string, fn: (raw: never) => Promise<unknown>) => {
    if (!isFirst) return real.$client.begin(options, fn as never);
    isFirst = false;
    await real.$client
      .begin(options, async (raw) => {
        await fn(raw as never);
        if (when === "before") throw new Error("it never came");
      })
      .catch(() => {});
    throw lost();
  };
  const client = new Proxy(real.$client, { get: (target, name) => (name === "begin" ? begin : Reflect.get(target, name)) });
  return Object.create(real, { $client: { value: client } });
}
