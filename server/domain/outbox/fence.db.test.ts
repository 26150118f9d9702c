// A relay that was paused wakes up while its successor is at work: the row is CLAIMED again, so only the fence tells the two apart.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { newUuid } from "@/server/ids";
import { appendEvent } from "./append-event";
import { type ClaimedEntry, claimEntries } from "./claim-entries";
import { failEntries, releaseEntries } from "./give-back-entries";
import { markPublishedIfLeaseHeld } from "./mark-published";

let db: TestDatabase;
const scope = { tenantGroupId: newUuid(), clinicId: newUuid() };
const id = newUuid();

beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.superuser.$client`truncate outbox`;
  const event = { commandId: newUuid(), ...scope, topic: "appointment.v1", aggregateType: "appointment", aggregateId: id, aggregateSeq: 1 };
  const payload = {
    appointmentId: id,
    appointmentRef: "APT-7F3K2M",
    version: "1",
    clinicId: scope.clinicId,
    change: "STATUS_CHANGED",
    fromStatus: null,
    toStatus: "CONFIRMED",
    localDate: "2026-05-04",
    fromLocalDate: null,
    startsAt: "2026-05-04T07:00:00Z",
    endsAt: "2026-05-04T07:30:00Z",
    fromStartsAt: null,
    doctorId: scope.clinicId,
    fromDoctorId: null,
    treatmentId: scope.clinicId,
    reasonCode: null,
  };
  await withTx(db.web, { ...scope, clinicIds: [scope.clinicId] }, (tx) =>
    appendEvent(tx, { ...event, type: "AppointmentStatusChanged", schemaVersion: 1, payload }),
  );
});

const claim = async (worker: string) => (await claimEntries(db.worker, { worker, limit: 1, leaseMs: 30_000 }))[0] as ClaimedEntry;
const at = (offset: string) => ({ logId: "log-1", topic: "appointment.v1", partition: 0, offset });
const mark = (worker: string, entry: ClaimedEntry, offset: string) =>
  markPublishedIfLeaseHeld(db.worker, worker, [{ entry, position: at(offset) }]);
const row = async () =>
  (await db.superuser.$client`select state, lease_owner, attempts, fence, log_offset from outbox where aggregate_id = ${id}`)[0];

/** The first relay's claim ran out and the second took the entry over; it has not published yet. */
async function takenOver(): Promise<{ late: ClaimedEntry; successor: ClaimedEntry }> {
  const late = await claim("relay-a");
  await db.superuser.$client`update outbox set lease_until = clock_timestamp() - interval '1 s'`;
  return { late, successor: await claim("relay-b") };
}

describe("a relay that wakes up while its successor is at work", () => {
  it("cannot mark the entry as published where it put it", async () => {
    const { late, successor } = await takenOver();
    expect([...(await mark("relay-a", late, "7"))]).toEqual([]);
    expect(await row()).toMatchObject({ state: "CLAIMED", lease_owner: "relay-b", log_offset: null });
    expect([...(await mark("relay-b", successor, "8"))]).toEqual([successor.eventId]);
    expect(await row()).toMatchObject({ state: "PUBLISHED", log_offset: "8" });
  });

  it("cannot give its successor's claim back, nor count an attempt against the entry", async () => {
    const { late } = await takenOver();
    expect(await releaseEntries(db.worker, "relay-a", [late])).toBe(0);
    expect(await failEntries(db.worker, "relay-a", [{ entry: late, reason: "TOO_LARGE", waitMs: 0 }], 1)).toBe(0);
    expect(await row()).toMatchObject({ state: "CLAIMED", lease_owner: "relay-b", attempts: 0, fence: "2" });
  });
});
