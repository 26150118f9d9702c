import { afterAll, beforeAll, expect, it } from "vitest";
import { withRead } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { systemClock } from "@/server/clock";
import { type ClinicFixture, createClinicFixture, type FixturePatient } from "@/server/domain/clinics/testing";
import { createCircuit } from "./circuit";
import { dispatchOnce } from "./dispatch-once";
import { mailboxProvider } from "./mailbox";
import { notificationBacklog } from "./notification-backlog";
import { insertIntent, insertVisit } from "./testing";

let db: TestDatabase;
let fixture: ClinicFixture;

beforeAll(async () => {
  db = await createTestDatabase();
  fixture = await createClinicFixture(db.migrator, { patients: 1 });
  const visit = await insertVisit(db.migrator, fixture.t1.ber, fixture.t1.patients[0] as FixturePatient);
  await insertIntent(db.web, visit, "BOOKED");
  const provider = mailboxProvider(db.worker, "dispatch-1");
  await dispatchOnce(db.worker, { provider, circuit: createCircuit(systemClock), clock: systemClock, worker: "dispatch-1" });
  await insertIntent(db.web, visit, "MOVED", 2);
});
afterAll(() => db.close());

it("the backlog counts what is unsettled, with the oldest age, within one's scope", async () => {
  const [waiting] = await withRead(db.web, fixture.t1.ber.scope, notificationBacklog);
  expect(waiting).toMatchObject({ state: "PENDING", count: 1 });
  expect(waiting?.oldestSeconds).toBeGreaterThan(0);
  for (const { scope } of [fixture.t1.nyc, fixture.t2.ktm]) expect(await withRead(db.web, scope, notificationBacklog)).toEqual([]);
});
