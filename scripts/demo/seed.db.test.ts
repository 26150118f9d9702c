import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { bookFuture, FUTURE_DAYS } from "@/scripts/demo/book-future";
import { PAST_DAYS, seedPast } from "@/scripts/demo/seed";
import { newSecrets } from "@/scripts/lib/secrets";
import { addDays, localAt } from "@/server/domain/clinics/local-time";
import { checkInvariants } from "@/server/domain/operations/check-invariants";
import { findToken } from "@/server/domain/scope/find-token";

// The functions that fill the demo's database, as they are, with all of the past and the first days of the future: each booking is a real command.
const bookedDays = 3; // from a Friday to a Monday: every clinic is open on one of them
const secrets = newSecrets();
const now = Date.now();

let db: TestDatabase;
let imported: number;
let future: Awaited<ReturnType<typeof bookFuture>>;
beforeAll(async () => {
  db = await createTestDatabase();
  imported = await withTx(db.migrator, {}, (tx) => seedPast(tx, now, secrets.apiToken), { deadlineMs: 300_000, idleTimeoutMs: 60_000 });
  future = await bookFuture({
    migrator: db.migrator,
    webUrl: db.urls.web,
    digestKeys: secrets.digestKeys,
    isStopped: () => false,
    say: () => {},
    days: bookedDays,
  });
}, 600_000);
afterAll(() => db.close());

const rows = (sql: string) => db.superuser.$client.unsafe(sql).then((found) => found.map((row) => ({ ...row })));

describe("the demo's world", () => {
  it("is two tenant groups with five clinics in five zones", async () => {
    const clinics = await rows(
      "select g.name as group, c.name, c.zone from clinics c join tenant_groups g on g.id = c.tenant_group_id order by c.name",
    );
    expect(clinics).toEqual([
      { group: "Harbour Clinics", name: "Harbour Berlin", zone: "Europe/Berlin" },
      { group: "Harbour Clinics", name: "Harbour Brooklyn", zone: "America/New_York" },
      { group: "Harbour Clinics", name: "Harbour Seoul", zone: "Asia/Seoul" },
      { group: "Ridge Health", name: "Ridge Kathmandu", zone: "Asia/Kathmandu" },
      { group: "Ridge Health", name: "Ridge Lord Howe", zone: "Australia/Lord_Howe" },
    ]);
  });

  it("has of every kind of fact at least one, on days that lie ahead", async () => {
    const [facts] = await rows(`select
      (select count(distinct clinic_id)::int from doctor_hours) as shifts,
      (select count(distinct clinic_id)::int from treatments) as treatments,
      (select max(quantity)::int from equipment) as most,
      (select count(*) > 0 from breaks) as breaks,
      (select count(*) > 0 from holidays where on_date > current_date) as holidays,
      (select count(*) > 0 from closures where lower(during) > clock_timestamp()) as closures,
      (select count(*) > 0 from absences where lower(during) > clock_timestamp()) as absences,
      (select count(*) > 0 from resource_outages where upper(during) > clock_timestamp()) as outages`);
    expect(facts).toEqual({
      shifts: 5,
      treatments: 5,
      most: 2,
      breaks: true,
      holidays: true,
      closures: true,
      absences: true,
      outages: true,
    });
  });

  it("has a sign-in for every role, in each group, and the token that the demo prints", async () => {
    const roles = await rows(`select g.name as group, array_agg(distinct r.role order by r.role) as roles
      from user_roles r join users u on u.id = r.user_id join tenant_groups g on g.id = u.tenant_group_id
      where u.password_hash is not null group by g.name order by g.name`);
    expect(roles).toEqual([
      {
        group: "Harbour Clinics",
        roles: ["ADMIN", "APPOINTMENT_REPLAY_OPERATOR", "FRONT_DESK", "POLICY_APPROVER", "POLICY_AUTHOR", "STAFF"],
      },
      { group: "Ridge Health", roles: ["FRONT_DESK", "STAFF"] },
    ]);
    expect(await findToken(db.web, secrets.apiToken)).toMatchObject({
      kind: "token",
      commands: expect.arrayContaining(["appointments:create"]),
    });
  });

  it("has visits on 60 days around today: imported ones behind it, with every end that a visit can have", async () => {
    expect(PAST_DAYS + 1 + FUTURE_DAYS).toBe(60);
    const past =
      await rows(`select c.zone, min(a.local_date)::text as first, max(a.local_date)::text as last, count(distinct a.local_date)::int as days
      from appointments a join clinics c on c.id = a.clinic_id where a.source = 'IMPORT' group by c.zone`);
    expect(past).toHaveLength(5);
    for (const { zone, first, last, days } of past) {
      const today = localAt(zone, now).date;
      // a week end, and a holiday beside it, at either end
      expect([zone, first <= addDays(today, 4 - PAST_DAYS), last >= addDays(today, -4), last <= today, days > 15]).toEqual([
        zone,
        true,
        true,
        true,
        true,
      ]);
    }
    const ends = await rows("select distinct status from appointments where source = 'IMPORT' order by status");
    expect(ends.map(({ status }) => status)).toEqual(expect.arrayContaining(["CANCELLED", "COMPLETED", "NO_SHOW"]));
    const [left] = await rows(
      "select count(*)::int as n from appointments where source = 'IMPORT' and ends_at < clock_timestamp() - interval '2 hours' and status = 'CONFIRMED'",
    );
    expect([imported > 1_000, left]).toEqual([true, { n: 0 }]);
  });

  it("has coming visits that real commands booked, some moved, confirmed or called off, a few of them asked for twice", async () => {
    const booked = await rows(`select c.name, count(*)::int as n from appointments a join clinics c on c.id = a.clinic_id
      where a.source <> 'IMPORT' and a.starts_at > clock_timestamp() group by c.name order by c.name`);
    expect(booked.map(({ name }) => name)).toHaveLength(5);
    const [made] = await rows(`select
      (select count(*)::int from appointments where source <> 'IMPORT') as visits,
      (select count(*)::int from command_calls where outcome = 'FIRST' and operation like '%create%') as commands,
      (select count(*)::int from appointment_history where source <> 'IMPORT' and change <> 'CREATED') as changes,
      (select count(*) > 0 from command_calls where outcome = 'REPLAYED') as repeated,
      (select count(*) > 0 from appointments where status = 'REQUESTED') as requested,
      (select count(*)::int from outbox where state = 'PENDING' and topic = 'appointment.v1') as events`);
    expect(made).toEqual({
      visits: future.booked,
      commands: future.booked + future.refused,
      changes: future.changed,
      repeated: true,
      requested: true,
      events: future.booked + future.changed,
    });
    expect(future.changed).toBeGreaterThan(0);
  });

  it("has nobody at work in an absence, nor a visit in a closure", async () => {
    const clashes = await rows(`select a.ref from appointments a
      join resource_claims r on r.appointment_id = a.id
      left join absences b on b.doctor_id = a.doctor_id and b.during && tstzrange(a.starts_at, a.ends_at)
      left join closures c on c.clinic_id = a.clinic_id and c.during && tstzrange(a.starts_at, a.ends_at)
      where b.id is not null or c.id is not null`);
    expect(clashes).toEqual([]);
  });

  it("breaks no invariant", async () => {
    await db.superuser.$client.unsafe("analyze"); // a new database that nobody has counted yet plans its questions badly
    expect(await checkInvariants(db.migrator)).toEqual([]);
  });
});
