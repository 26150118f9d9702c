// What changed since a snapshot: each fact once, by whom, and only what a plan of these dates can notice.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Tx, withRead, withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { insertAbsence, insertBreak, insertClosure, insertHoliday, insertOutage, replaceHours } from "../../clinics/set-up";
import { type ClinicFixture, createClinicFixture, type FixtureClinic, usualHours, workdays } from "../../clinics/testing";
import { factChangesSince } from "./fact-changes";
import { loadSnapshot } from "./load-snapshot";
import { planningFactVersion } from "./planning-fact-version";
import { factGroups } from "./types";

let db: TestDatabase;
let world: ClinicFixture;
let ber: FixtureClinic;
beforeAll(async () => {
  db = await createTestDatabase();
  world = await createClinicFixture(db.migrator);
  ber = world.t1.ber;
});
afterAll(() => db.close());

const range = () => ({ clinicId: ber.id, fromDate: "2027-02-08", untilDate: "2027-02-12" });
const snapshot = async () => {
  const read = await withRead(db.web, ber.scope, (tx) => loadSnapshot(tx, ber.scope, range()));
  if (!read) throw new Error("in scope");
  return read;
};
const since = (factVersion: string, groups?: (typeof factGroups)[number][]) =>
  withRead(db.web, ber.scope, (tx) => factChangesSince(tx, ber.scope, range(), { factVersion, ...(groups && { groups }) }));
/** What changed, and whether the version agrees that something did, in which groups. */
async function whenChanged(change: (tx: Tx) => Promise<unknown>) {
  const before = await snapshot();
  await withTx(db.migrator, {}, async (tx) => {
    await tx.sql`select set_config('app.actor_kind', 'person', true), set_config('app.actor_ref', 'ST-000009', true)`;
    await change(tx);
  });
  const [one, other] = [planningFactVersion(before), planningFactVersion(await snapshot())];
  const differ = factGroups.filter((group) => one.groups[group] !== other.groups[group]);
  return { changes: await since(before.facts.clinic.factVersion), differ, counter: before.facts.clinic.factVersion };
}

const doctorId = () => ber.doctors[0]?.id as string;

describe("what changed since a snapshot", () => {
  it("names the fact, what it was and is, its doctor or device, who and when", async () => {
    const added = await whenChanged((tx) =>
      insertAbsence(tx, ber, { doctorId: doctorId(), from: "2027-02-09T09:00", until: "2027-02-09T12:30" }),
    );
    expect(added.differ).toEqual(["doctors"]);
    expect(added.changes).toMatchObject([
      {
        table: "absences",
        groups: ["doctors"],
        change: "ADDED",
        before: null,
        after: { local_from: "2027-02-09T09:00:00", doctor_id: doctorId() },
        from: "2027-02-09T08:00:00Z",
        until: "2027-02-09T11:30:00Z",
        subjectRef: "D-000001",
        actorKind: "person",
        actorRef: "ST-000009",
      },
    ]);
    const outage = await whenChanged((tx) =>
      insertOutage(tx, ber, { resourceId: ber.ultrasound.resourceId, from: "2027-02-10T15:30", until: "2027-02-10T16:00" }),
    );
    expect(outage.changes.map(({ table, subjectRef, groups }) => [table, subjectRef, groups])).toEqual([
      ["resource_outages", "EQ-BER001", ["equipment"]],
    ]);
    expect(await since(added.counter, ["equipment"])).toEqual(outage.changes);
    expect((await since(added.counter)).map(({ table }) => table)).toEqual(["resource_outages", "absences"]); // newest first
  });

  it("is nothing when a fact is entered and withdrawn, or changed and changed back, or is another row of the same", async () => {
    const withdrawn = await whenChanged(async (tx) => {
      const { id } = await insertClosure(tx, ber, { from: "2027-02-11", until: "2027-02-11", reason: "Works" });
      await tx.sql`delete from closures where id = ${id}`;
    });
    const back = await whenChanged(async (tx) => {
      await tx.sql`update clinics set grid_minutes = 30 where id = ${ber.id}`;
      await tx.sql`update clinics set grid_minutes = 15 where id = ${ber.id}`;
    });
    const replaced = await whenChanged((tx) => replaceHours(tx, ber, { weekdays: workdays, intervals: usualHours }));
    for (const { changes, differ } of [withdrawn, back, replaced]) expect({ changes, differ }).toEqual({ changes: [], differ: [] });
  });

  it("goes from what a fact was to what it is, over several changes", async () => {
    const seen = await whenChanged(async (tx) => {
      await tx.sql`update absences set local_until = '2027-02-09T13:00', during = '[2027-02-09 08:00Z,2027-02-09 12:00Z)' where clinic_id = ${ber.id}`;
      await tx.sql`update absences set local_until = '2027-02-09T14:00', during = '[2027-02-09 08:00Z,2027-02-09 13:00Z)' where clinic_id = ${ber.id}`;
    });
    expect(seen.changes).toMatchObject([
      { change: "CHANGED", before: { local_until: "2027-02-09T12:30:00" }, after: { local_until: "2027-02-09T14:00:00" } },
    ]);
  });

  it("leaves out what lies on other dates, and shows what holds every week", async () => {
    const elsewhere = await whenChanged(async (tx) => {
      await insertClosure(tx, ber, { from: "2027-02-15", until: "2027-02-20", reason: "Works" });
      await insertHoliday(tx, ber, { date: "2027-03-01", name: "Rest" });
    });
    expect(elsewhere).toMatchObject({ changes: [], differ: [] });
    const weekly = await whenChanged((tx) => insertBreak(tx, ber, { interval: ["10:30", "10:45"] }));
    expect(weekly.changes).toMatchObject([{ table: "breaks", from: null, until: null, subjectRef: "CL-BER000" }]);
    expect(weekly.differ).toEqual(["closures"]);
  });

  it("says direct SQL by its role, and a limit by whose it is", async () => {
    const before = await snapshot();
    await db.superuser.$client`update resources set seats = 3 where id = ${ber.ultrasound.resourceId}`;
    const [change] = await since(before.facts.clinic.factVersion);
    expect(change).toMatchObject({ table: "resources", subjectRef: "EQ-BER001", actorKind: "database", commandId: null });
    expect(change?.actorRef).not.toBe("");
  });

  it("reads the newest of thousands: what was changed last is never the one that drops out", async () => {
    const before = await snapshot();
    await db.superuser.$client`
      insert into fact_changes (tenant_group_id, clinic_id, fact_version, fact_table, fact_id, change, new_digest, after, actor_kind, actor_ref)
      select ${ber.tenantGroupId}, ${ber.id}, ${before.facts.clinic.factVersion}::bigint + n, 'breaks', 'old-' || n, 'ADDED', 'digest-' || n, '{}', 'database', 'flood'
      from generate_series(1, 2100) n`;
    await db.superuser.$client`update planning_scopes set fact_version = fact_version + 2100 where clinic_id = ${ber.id}`;
    await withTx(db.migrator, {}, (tx) =>
      insertAbsence(tx, ber, { doctorId: doctorId(), from: "2027-02-11T09:00", until: "2027-02-11T10:00" }),
    );

    const changes = await since(before.facts.clinic.factVersion);

    expect(changes[0]).toMatchObject({ table: "absences", change: "ADDED" });
    expect(changes.at(-1)).toMatchObject({ factId: "old-102" });
  });

  it("is nobody's outside of the clinic", async () => {
    const { nyc } = world.t1;
    expect(await withRead(db.web, nyc.scope, (tx) => factChangesSince(tx, nyc.scope, range(), { factVersion: "0" }))).toEqual([]);
  });
});
