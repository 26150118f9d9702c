// One booking that became a hundred, and a hundred mails with them: the guard that looks at the recipient.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { systemClock } from "@/server/clock";
import { type ClinicFixture, createClinicFixture, type FixturePatient } from "@/server/domain/clinics/testing";
import { createCircuit } from "./circuit";
import { dispatchOnce } from "./dispatch-once";
import { insertIntent, insertVisit, stubProvider } from "./testing";

const max = 20;
let db: TestDatabase;
let fixture: ClinicFixture;

beforeAll(async () => {
  db = await createTestDatabase();
  fixture = await createClinicFixture(db.migrator, { patients: 2 });
});
afterAll(() => db.close());
beforeEach(() => db.superuser.$client.unsafe("truncate notification_deliveries, notification_intents, appointments cascade"));

const dispatch = (provider: ReturnType<typeof stubProvider>, n = 1) =>
  dispatchOnce(db.worker, { provider, circuit: createCircuit(systemClock), clock: systemClock, worker: `dispatch-${n}` });
const book = async (patient: number, count: number) => {
  for (let n = 0; n < count; n++) {
    const visit = await insertVisit(db.migrator, fixture.t1.ber, fixture.t1.patients[patient] as FixturePatient);
    await insertIntent(db.web, visit, "BOOKED");
  }
};
const ends = async (patient: number) =>
  (
    await db.superuser.$client`
      select state || coalesce(' ' || reason_code, '') as how, count(*)::int as count
      from notification_intents where patient_id = ${fixture.t1.patients[patient]?.id as string} group by 1 order by 1`
  ).map(({ how, count }) => `${count} ${how}`);

describe("more messages to one recipient in a minute than anybody needs", () => {
  it("H-B1 one booking that became many does not become as many mails: the rest is parked for STAFF, others get theirs", async () => {
    await book(0, max + 5);
    await book(1, 1);
    const provider = stubProvider();
    expect(await dispatch(provider)).toMatchObject({ claimed: max + 6, sent: max + 1, exhausted: 5 });
    expect(await ends(0)).toEqual([`5 EXHAUSTED RECIPIENT_FLOOD`, `${max} SENT`]);
    expect(await ends(1)).toEqual(["1 SENT"]);
    expect(await dispatch(provider)).toMatchObject({ claimed: 0 });
    expect(provider.calls).toHaveLength(max + 1);
  });

  it("two dispatchers at once do not let twice as many through", async () => {
    await book(0, max + 10);
    const provider = stubProvider();
    await Promise.all([dispatch(provider, 1), dispatch(provider, 2)]);
    await dispatch(provider);
    expect(await ends(0)).toEqual([`10 EXHAUSTED RECIPIENT_FLOOD`, `${max} SENT`]);
  });

  it("a minute later the recipient is told again", async () => {
    await book(0, max);
    const provider = stubProvider();
    await dispatch(provider);
    await db.superuser.$client`update notification_intents set settled_at = settled_at - interval '1 minute'`;
    await book(0, 1);
    expect(await dispatch(provider)).toMatchObject({ claimed: 1, sent: 1, exhausted: 0 });
  });
});
