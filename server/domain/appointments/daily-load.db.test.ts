import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { withRead, withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { type ClinicFixture, createClinicFixture, type FixturePatient } from "@/server/domain/clinics/testing";
import type { AppointmentChangeV1 } from "@/server/domain/event-log/contracts/appointment-v1";
import type { PublishedEvent } from "@/server/domain/event-log/envelope";
import { changeVisit, insertVisit } from "@/server/domain/notifications/testing";
import { applyDailyLoad } from "./daily-load";
import { checkDailyLoad, dailyLoad, rebuildDailyLoad } from "./daily-load-query";

let db: TestDatabase;
let fixture: ClinicFixture;

beforeAll(async () => {
  db = await createTestDatabase();
  fixture = await createClinicFixture(db.migrator, { patients: 1 });
});
afterAll(() => db.close());
beforeEach(() => db.superuser.$client.unsafe("truncate daily_load, daily_load_visits, appointments cascade"));

const day = "2027-02-09";
const next = "2027-02-10";
const occurredAt = (version: number) => new Date(Date.UTC(2027, 0, 1, 0, 0, version)).toISOString();

function event(appointmentId: string, version: number, toStatus: string, localDate = day): PublishedEvent<AppointmentChangeV1> {
  const { tenantGroupId, id: clinicId } = fixture.t1.ber;
  return {
    eventId: randomUUID(),
    type: version === 1 ? "AppointmentCreated" : "AppointmentStatusChanged",
    schemaVersion: 1,
    tenantGroupId,
    clinicId,
    commandId: randomUUID(),
    aggregateType: "appointment",
    aggregateId: appointmentId,
    aggregateSeq: String(version),
    occurredAt: occurredAt(version),
    payload: { appointmentId, version: String(version), clinicId, toStatus, localDate } as PublishedEvent<AppointmentChangeV1>["payload"],
  };
}
const worker = () => ({ worker: "consumer-1", tenantGroupId: fixture.t1.tenantGroupId });
const apply = async (...events: PublishedEvent<AppointmentChangeV1>[]) => {
  const outcomes = await withTx(db.worker, worker(), (tx) => applyDailyLoad(tx, events));
  return outcomes.map((outcome) => outcome.kind === "done");
};
const load = async () => {
  const rows = await withRead(db.web, fixture.t1.ber.scope, (tx) => dailyLoad(tx, fixture.t1.ber.scope, fixture.t1.ber.id, day, next));
  return Object.fromEntries(rows.map(({ localDate, booked, arrived, done, noShow }) => [localDate, [booked, arrived, done, noShow]]));
};

describe("the daily load", () => {
  it("counts a day as a funnel: booked, arrived, done, no-show", async () => {
    const [a, b, c, d] = Array.from({ length: 4 }, () => randomUUID()) as [string, string, string, string];
    await apply(event(a, 1, "CONFIRMED"), event(b, 1, "REQUESTED"), event(c, 1, "CONFIRMED"), event(d, 1, "CONFIRMED"));
    await apply(event(a, 2, "CHECKED_IN"), event(a, 3, "IN_PROGRESS"), event(a, 4, "COMPLETED"));
    await apply(event(c, 2, "NO_SHOW"), event(d, 2, "CHECKED_IN"));
    expect(await load()).toEqual({ [day]: [4, 2, 1, 1] });
  });

  it("says as of which event, and an older event does not set it back", async () => {
    const [a, b] = [randomUUID(), randomUUID()];
    await apply(event(a, 5, "CONFIRMED"));
    await apply(event(b, 2, "CONFIRMED"));
    const rows = await withRead(db.web, fixture.t1.ber.scope, (tx) => dailyLoad(tx, fixture.t1.ber.scope, fixture.t1.ber.id, day, day));
    expect(rows.map((row) => row.asOf)).toEqual(["2027-01-01T00:00:05Z"]);
  });

  it("an event that comes again, alone or within a batch, moves the counts once", async () => {
    const created = event(randomUUID(), 1, "CONFIRMED");
    expect(await apply(created, created)).toEqual([true, true]);
    expect(await apply(created)).toEqual([false]);
    expect(await load()).toEqual({ [day]: [1, 0, 0, 0] });
  });

  it("an event that comes after a newer one of its visit changes nothing", async () => {
    const id = randomUUID();
    expect(await apply(event(id, 3, "CHECKED_IN"))).toEqual([true]);
    expect(await apply(event(id, 1, "CONFIRMED"), event(id, 2, "CONFIRMED", next))).toEqual([false, false]);
    expect(await load()).toEqual({ [day]: [1, 1, 0, 0] });
  });

  it("a move takes the visit from one day to the other, a cancellation and a release take it away", async () => {
    const [a, b] = [randomUUID(), randomUUID()];
    await apply(event(a, 1, "CONFIRMED"), event(b, 1, "CONFIRMED"));
    await apply(event(a, 2, "CONFIRMED", next));
    expect(await load()).toEqual({ [day]: [1, 0, 0, 0], [next]: [1, 0, 0, 0] });
    await apply(event(a, 3, "PENDING_RESCHEDULE", next), event(b, 2, "CANCELLED"));
    expect(await load()).toEqual({ [day]: [0, 0, 0, 0], [next]: [0, 0, 0, 0] });
  });

  it("two batches at once that meet on a visit and on a day count it once", async () => {
    const ids = Array.from({ length: 20 }, () => randomUUID());
    const batch = (version: number, status: string) => ids.map((id) => event(id, version, status));
    await Promise.all([apply(...batch(1, "CONFIRMED")), apply(...batch(2, "CHECKED_IN").reverse())]);
    expect(await load()).toEqual({ [day]: [20, 20, 0, 0] });
  });

  it("whatever the order, the batches and the repetitions: the counts are those of the newest versions", async () => {
    const statuses = fc.constantFrom("CONFIRMED", "CHECKED_IN", "COMPLETED", "NO_SHOW", "CANCELLED", "PENDING_RESCHEDULE", "REQUESTED");
    const change = fc.record({
      visit: fc.nat(3),
      version: fc.integer({ min: 1, max: 4 }),
      status: statuses,
      date: fc.constantFrom(day, next),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 5 }), async (batches) => {
        await db.superuser.$client.unsafe("truncate daily_load, daily_load_visits");
        const ids = Array.from({ length: 4 }, () => randomUUID());
        const content = new Map<string, { status: string; date: string }>(); // one version has one content
        const newest = new Map<number, number>();
        for (const batch of batches) {
          const events = batch.map(({ visit, version, status, date }) => {
            const key = `${visit}/${version}`;
            const of = content.get(key) ?? { status, date };
            content.set(key, of);
            newest.set(visit, Math.max(version, newest.get(visit) ?? 0));
            return event(ids[visit] as string, version, of.status, of.date);
          });
          await apply(...events);
        }
        const wanted: Record<string, number[]> = {};
        for (const [visit, version] of newest) {
          const { status, date } = content.get(`${visit}/${version}`) as { status: string; date: string };
          const counts = wanted[date] ?? [0, 0, 0, 0];
          wanted[date] = counts;
          const arrived = ["CHECKED_IN", "COMPLETED"].includes(status);
          const adds = [!["CANCELLED", "PENDING_RESCHEDULE"].includes(status), arrived, status === "COMPLETED", status === "NO_SHOW"];
          adds.forEach((yes, at) => {
            counts[at] = (counts[at] ?? 0) + (yes ? 1 : 0);
          });
        }
        const found = Object.fromEntries(
          Object.entries(await load()).filter(([date, counts]) => wanted[date] || counts.some((n) => n !== 0)),
        );
        expect(found).toEqual(wanted);
      }),
      { numRuns: 40 },
    );
  });

  it("answers nothing about a clinic outside of the scope", async () => {
    await apply(event(randomUUID(), 1, "CONFIRMED"));
    const { nyc, ber } = fixture.t1;
    expect(await withRead(db.web, nyc.scope, (tx) => dailyLoad(tx, nyc.scope, ber.id, day, next))).toEqual([]);
    expect(await withRead(db.web, nyc.scope, (tx) => dailyLoad(tx, ber.scope, ber.id, day, next))).toEqual([]); // row-level security alone
  });
});

describe("checking and rebuilding it", () => {
  it("the checker names the day that differs, and a rebuild from the visits mends it", async () => {
    const patient = fixture.t1.patients[0] as FixturePatient;
    const one = await insertVisit(db.migrator, fixture.t1.ber, patient, { startsAt: `${day}T09:00:00Z` });
    await insertVisit(db.migrator, fixture.t1.ber, patient, { startsAt: `${day}T10:00:00Z`, status: "COMPLETED" });
    const check = () => withRead(db.worker, worker(), checkDailyLoad);
    expect(await check()).toEqual([{ clinicId: fixture.t1.ber.id, localDate: day, projected: [0, 0, 0, 0], actual: [2, 1, 1, 0] }]);
    expect(await withTx(db.worker, worker(), (tx) => rebuildDailyLoad(tx, fixture.t1.tenantGroupId))).toBe(2);
    expect(await check()).toEqual([]);
    expect(await apply(event(one.id, 1, "CONFIRMED"))).toEqual([false]); // its event was still on the way
    await changeVisit(db.migrator, one, { status: "CANCELLED" });
    expect(await check()).toHaveLength(1);
    expect(await apply(event(one.id, 2, "CANCELLED"))).toEqual([true]);
    expect(await check()).toEqual([]);
  });
});
