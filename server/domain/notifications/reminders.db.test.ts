import { randomUUID } from "node:crypto";
import { Temporal } from "temporal-polyfill";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { systemClock } from "@/server/clock";
import { type ClinicFixture, createClinicFixture, type FixturePatient } from "@/server/domain/clinics/testing";
import type { AppointmentChangeV1 } from "@/server/domain/event-log/contracts/appointment-v1";
import type { PublishedEvent } from "@/server/domain/event-log/envelope";
import { createCircuit } from "./circuit";
import { dispatchOnce } from "./dispatch-once";
import { remindOnce } from "./remind-once";
import { planReminders } from "./reminder-planner";
import { changeVisit, insertVisit, stubProvider, type TestVisit } from "./testing";

let db: TestDatabase;
let fixture: ClinicFixture;

beforeAll(async () => {
  db = await createTestDatabase();
  fixture = await createClinicFixture(db.migrator, { patients: 1 });
});
afterAll(() => db.close());
beforeEach(() => db.superuser.$client.unsafe("truncate reminders, notification_deliveries, notification_intents, appointments cascade"));

const inHours = (hours: number) =>
  Temporal.Now.instant()
    .add({ minutes: hours * 60 })
    .round("second")
    .toString();
const visit = (options?: Parameters<typeof insertVisit>[3]) =>
  insertVisit(db.migrator, fixture.t1.ber, fixture.t1.patients[0] as FixturePatient, options);

const event = (of: Pick<TestVisit, "id">, version: number) =>
  ({
    tenantGroupId: fixture.t1.tenantGroupId,
    clinicId: fixture.t1.ber.id,
    payload: { appointmentId: of.id, version: String(version) },
  }) as PublishedEvent<AppointmentChangeV1>;
/** How the handler ended for each event: done, or the reason. */
const handle = async (...events: PublishedEvent<AppointmentChangeV1>[]) => {
  const actor = { worker: "consumer-1", tenantGroupId: fixture.t1.tenantGroupId };
  const outcomes = await withTx(db.worker, actor, (tx) => planReminders(tx, events));
  return outcomes.map((outcome) => ("reason" in outcome ? outcome.reason : outcome.kind));
};
const reminder = async (of: TestVisit) =>
  (
    await db.superuser.$client`
      select r.state, r.reason_code, r.due_at = a.starts_at - interval '24 hours' as "isDay", r.appointment_version as version
      from reminders r join appointments a on a.id = r.appointment_id where a.id = ${of.id}`
  )[0];
const tick = () => remindOnce(db.worker, "reminders-1");
const makeDue = () =>
  db.superuser.$client`update appointments set starts_at = starts_at - interval '40 hours', ends_at = ends_at - interval '40 hours'`;

describe("the reminder planner", () => {
  it("plans a day before the start, once however often the event comes", async () => {
    const of = await visit({ startsAt: inHours(48) });
    expect(await handle(event(of, 1), event(of, 1))).toEqual(["done", "done"]);
    expect(await handle(event(of, 1))).toEqual(["ALREADY_PLANNED"]);
    expect(await reminder(of)).toEqual({ state: "PLANNED", reason_code: null, isDay: true, version: "1" });
  });

  it("moves with the visit", async () => {
    const of = await visit({ startsAt: inHours(48) });
    await handle(event(of, 1));
    await changeVisit(db.migrator, of, { startsAt: inHours(72) });
    expect(await handle(event(of, 2))).toEqual(["done"]);
    expect(await reminder(of)).toEqual({ state: "PLANNED", reason_code: null, isDay: true, version: "2" });
  });

  it("is cancelled with the visit, and comes back with a new time", async () => {
    const of = await visit({ startsAt: inHours(48) });
    await handle(event(of, 1));
    await changeVisit(db.migrator, of, { status: "PENDING_RESCHEDULE" });
    expect(await handle(event(of, 2))).toEqual(["done"]);
    expect(await reminder(of)).toMatchObject({ state: "CANCELLED", reason_code: "AWAITING_NEW_TIME" });
    await changeVisit(db.migrator, of, { status: "CONFIRMED", startsAt: inHours(96) });
    expect(await handle(event(of, 3))).toEqual(["done"]);
    expect(await reminder(of)).toMatchObject({ state: "PLANNED", reason_code: null, isDay: true });
    await changeVisit(db.migrator, of, { status: "CANCELLED" });
    expect(await handle(event(of, 4), event(of, 4))).toEqual(["done", "done"]);
    expect(await reminder(of)).toMatchObject({ state: "CANCELLED", reason_code: "VISIT_CANCELLED" });
    expect(await handle(event(of, 4))).toEqual(["ALREADY_CANCELLED"]);
  });

  it("a visit sooner than a day gets none (H-C3), and one that is moved that near loses its own", async () => {
    const soon = await visit({ startsAt: inHours(23) });
    expect(await handle(event(soon, 1))).toEqual(["TOO_LATE"]);
    expect(await reminder(soon)).toBeUndefined();
    const nearer = await visit({ startsAt: inHours(48) });
    await handle(event(nearer, 1));
    await changeVisit(db.migrator, nearer, { startsAt: inHours(3) });
    expect(await handle(event(nearer, 2))).toEqual(["done"]);
    expect(await reminder(nearer)).toMatchObject({ state: "CANCELLED", reason_code: "MOVED_TOO_NEAR" });
  });

  it("a request is not reminded of before it is confirmed", async () => {
    const of = await visit({ status: "REQUESTED", startsAt: inHours(48) });
    expect(await handle(event(of, 1))).toEqual(["NOT_CONFIRMED"]);
    await changeVisit(db.migrator, of, { status: "CONFIRMED" });
    expect(await handle(event(of, 2))).toEqual(["done"]);
    expect(await reminder(of)).toMatchObject({ state: "PLANNED" });
  });

  it("an old event meets the world of today: it plans nothing", async () => {
    const of = await visit({ startsAt: inHours(48) });
    await changeVisit(db.migrator, of, { status: "CANCELLED" });
    expect(await handle(event(of, 1))).toEqual(["SUPERSEDED"]);
    expect(await handle(event(of, 2))).toEqual(["NO_REMINDER"]);
    expect(await reminder(of)).toBeUndefined();
  });

  it("an event of a visit or a version that the database does not have waits for STAFF", async () => {
    const of = await visit();
    expect(await handle(event({ id: randomUUID() }, 1), event(of, 2))).toEqual(["VISIT_UNKNOWN", "VERSION_UNKNOWN"]);
  });

  it("plans a whole batch at once", async () => {
    const many = await Promise.all(Array.from({ length: 5 }, () => visit({ startsAt: inHours(48) })));
    expect(await handle(...many.map((of) => event(of, 1)))).toEqual(Array(5).fill("done"));
    expect(await db.superuser.$client`select 1 from reminders where state = 'PLANNED'`).toHaveLength(5);
  });
});

describe("a due reminder", () => {
  const planned = async (startsInHours = 48) => {
    const of = await visit({ startsAt: inHours(startsInHours) });
    await handle(event(of, 1));
    return of;
  };
  const dueNow = async () => {
    await makeDue();
    await db.superuser
      .$client`update reminders r set due_at = a.starts_at - interval '24 hours' from appointments a where a.id = r.appointment_id`;
  };
  const dispatch = () => {
    const provider = stubProvider();
    const own = { provider, circuit: createCircuit(systemClock), clock: systemClock, worker: "dispatch-1" };
    return dispatchOnce(db.worker, own).then(() => provider.calls.length);
  };

  it("goes out once, however often the runner looks (H-B1)", async () => {
    await planned();
    expect(await tick()).toEqual({ sent: 0, cancelled: 0, moved: 0 });
    await dueNow();
    const ticks = await Promise.all([tick(), tick(), tick(), tick(), tick()]);
    expect(ticks.reduce((sum, counts) => sum + counts.sent, 0)).toBe(1);
    expect(await db.superuser.$client`select kind, state from notification_intents`).toEqual([{ kind: "REMINDER", state: "PENDING" }]);
    expect(await dispatch()).toBe(1);
    expect(await tick()).toEqual({ sent: 0, cancelled: 0, moved: 0 });
  });

  it("of visits that were cancelled meanwhile: 150 reminders, none sent, each with its reason (H-C1)", async () => {
    const many = await Promise.all(Array.from({ length: 150 }, () => visit({ startsAt: inHours(48) })));
    await handle(...many.map((of) => event(of, 1)));
    await dueNow();
    await db.superuser.$client`update appointments set status = 'CANCELLED', version = 2`; // the planner has not heard of it
    expect(await tick()).toEqual({ sent: 0, cancelled: 100, moved: 0 }); // bounded
    expect(await tick()).toEqual({ sent: 0, cancelled: 50, moved: 0 });
    expect(await db.superuser.$client`select distinct state, reason_code from reminders`).toEqual([
      { state: "CANCELLED", reason_code: "VISIT_CANCELLED" },
    ]);
    expect(await dispatch()).toBe(0);
  });

  it("of a visit that is cancelled between the reminder and its dispatch is suppressed", async () => {
    const of = await planned();
    await dueNow();
    expect(await tick()).toMatchObject({ sent: 1 });
    await changeVisit(db.migrator, of, { status: "CANCELLED" });
    expect(await dispatch()).toBe(0);
    expect(await db.superuser.$client`select state, reason_code from notification_intents`).toEqual([
      { state: "SUPPRESSED", reason_code: "VISIT_CANCELLED" },
    ]);
  });

  it("of a visit that has begun is not sent any more", async () => {
    await planned();
    await dueNow();
    await makeDue();
    expect(await tick()).toMatchObject({ sent: 0, cancelled: 1 });
  });

  it("of a visit that was moved away waits for the new time, before the planner has heard of it", async () => {
    const of = await planned();
    await dueNow();
    await changeVisit(db.migrator, of, { startsAt: inHours(200) });
    expect(await tick()).toEqual({ sent: 0, cancelled: 0, moved: 1 });
    expect(await db.superuser.$client`select 1 from notification_intents`).toHaveLength(0);
    expect(await reminder(of)).toMatchObject({ state: "PLANNED", isDay: true });
    expect(await tick()).toEqual({ sent: 0, cancelled: 0, moved: 0 });
  });

  it("that another runner holds is skipped, not waited for", async () => {
    const held = await planned();
    await planned();
    await dueNow();
    await db.superuser.$client.begin(async (sql) => {
      await sql`select 1 from reminders where appointment_id = ${held.id} for update`;
      expect(await tick()).toMatchObject({ sent: 1 });
    });
    expect(await tick()).toMatchObject({ sent: 1 });
  });

  it("that went out is planned anew when the visit gets another time, and not for a check-in that is undone", async () => {
    const of = await planned();
    await dueNow();
    await tick();
    await changeVisit(db.migrator, of, { status: "CONFIRMED" });
    expect(await handle(event(of, 2))).toEqual(["ALREADY_SENT"]);
    await changeVisit(db.migrator, of, { startsAt: inHours(96) });
    expect(await handle(event(of, 3))).toEqual(["done"]);
    expect(await reminder(of)).toMatchObject({ state: "PLANNED", isDay: true });
  });
});
