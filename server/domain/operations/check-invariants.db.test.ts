import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { seedPast } from "@/scripts/demo/seed";
import { checkInvariants } from "./check-invariants";

let database: TestDatabase;
let visit: string;
beforeAll(async () => {
  database = await createTestDatabase();
  await withTx(database.migrator, {}, (tx) => seedPast(tx, Date.now(), "token-of-this-test", 4), {
    deadlineMs: 60_000,
    idleTimeoutMs: 30_000,
  });
  const [row] = await database.superuser.$client<{ id: string }[]>`
    select id from appointments where status = 'COMPLETED' order by id limit 1`;
  visit = row?.id ?? "";
  await database.superuser.$client`analyze`; // the plans of tables that have been there for a while
}, 60_000);
afterAll(() => database.close());

const noticed = async () => (await checkInvariants(database.worker)).map(({ invariant }) => invariant);

describe("the invariant checker", () => {
  test("accepts imported visits", async () => {
    const [count] = await database.superuser.$client<{ visits: number }[]>`select count(*)::int as visits from appointments`;
    expect(count?.visits).toBeGreaterThan(100);
    expect(await checkInvariants(database.worker)).toEqual([]);
  });

  // each breaks one row and mends it again
  test.each<[breaks: string, mends: string, notices: string]>([
    [
      "update appointments set version = version + 1",
      "update appointments set version = version - 1",
      "a visit has one history row for each of its versions",
    ],
    [
      "update appointments set status = 'NO_SHOW'",
      "update appointments set status = 'COMPLETED'",
      "a visit is what its last history row made it",
    ],
    [
      "update appointments set local_start = local_start + interval '1 hour'",
      "update appointments set local_start = local_start - interval '1 hour'",
      "a visit's clinic time is what the clinic's clock shows at its start",
    ],
  ])("notices after: %s", async (breaks, mends, notices) => {
    await database.superuser.$client.unsafe(`${breaks} where id = '${visit}'`);
    expect(await noticed()).toContain(notices);
    await database.superuser.$client.unsafe(`${mends} where id = '${visit}'`);
    expect(await noticed()).toEqual([]);
  });

  describe("of what a visit claims", () => {
    const claims = "a visit claims its doctor, patient, devices and clinic exactly while it holds them";
    let held: string;
    beforeAll(async () => {
      const sql = database.superuser.$client;
      const [used] = await sql`
        insert into appointment_equipment (tenant_group_id, clinic_id, appointment_id, equipment_id, during)
        select a.tenant_group_id, a.clinic_id, a.id, q.id, tstzrange(a.starts_at, a.ends_at)
        from appointments a join equipment q on q.clinic_id = a.clinic_id
        where a.status = 'COMPLETED' and not exists (select from appointment_equipment e where e.appointment_id = a.id)
        order by a.id, q.id limit 1
        returning appointment_id`;
      held = used?.appointment_id;
      await sql`update appointments set status = 'CONFIRMED' where id = ${held}`;
      await sql`alter table resource_claims disable trigger claims_within_seats`;
    });
    const release = () => database.superuser.$client`delete from resource_claims where appointment_id = ${held}`;
    const claim = () => database.superuser.$client`
      insert into resource_claims (tenant_group_id, clinic_id, appointment_id, resource_id, during)
      select a.tenant_group_id, a.clinic_id, a.id, r.id, tstzrange(a.starts_at, a.ends_at)
      from appointments a
      join doctors d on d.id = a.doctor_id
      join patients p on p.id = a.patient_id
      join clinics k on k.id = a.clinic_id
      join appointment_equipment e on e.appointment_id = a.id
      join equipment q on q.id = e.equipment_id
      join resources r on r.id in (d.resource_id, p.resource_id, q.resource_id, k.resource_id)
      where a.id = ${held}`;
    afterEach(release);
    afterAll(async () => {
      const sql = database.superuser.$client;
      await sql`delete from appointment_equipment where appointment_id = ${held}`;
      await sql`update appointments set status = 'COMPLETED' where id = ${held}`;
      await sql`alter table resource_claims enable trigger claims_within_seats`;
    });

    test("it accepts what the visit needs, and notices that nothing is claimed", async () => {
      expect(await noticed()).toContain(claims);
      await claim();
      expect(await noticed()).not.toContain(claims);
    });

    // the number of its claims stays right
    const kinds = ["DOCTOR", "PATIENT", "DEVICE"];
    const otherOne =
      "resource_id = (select r.id from resources r where r.kind = x.kind and r.tenant_group_id = x.tenant_group_id and r.id <> x.id limit 1)";
    const otherTime = "during = tstzrange(lower(during), lower(during) + interval '5 min')";
    test.each(kinds.flatMap((kind) => [[kind, "of another one", otherOne] as const, [kind, "at another time", otherTime] as const]))(
      "it notices a claim on the %s %s",
      async (kind, _, set) => {
        await claim();
        const changed = await database.superuser.$client.unsafe(
          `update resource_claims c set ${set} from resources x where x.id = c.resource_id and appointment_id = $1 and x.kind = any ($2)`,
          [held, kind === "DEVICE" ? ["DEVICE", "ROOM"] : [kind]],
        );
        expect(changed.count).toBe(1);
        expect(await noticed()).toContain(claims);
      },
    );

    test("it notices a visit that is over and claims still", async () => {
      const sql = database.superuser.$client;
      await claim();
      await sql`update appointments set status = 'COMPLETED' where id = ${held}`;
      expect(await noticed()).toEqual([claims]);
      await sql`update appointments set status = 'CONFIRMED' where id = ${held}`;
    });
  });

  test("notices a resource that is claimed beyond its seats, when the trigger was bypassed", async () => {
    const sql = database.superuser.$client;
    const claim = sql`
      insert into resource_claims (tenant_group_id, clinic_id, appointment_id, resource_id, during)
      select a.tenant_group_id, a.clinic_id, a.id, d.resource_id, tstzrange('2030-01-01 09:00Z', '2030-01-01 10:00Z')
      from appointments a
      join doctors d on d.id = a.doctor_id
      cross join generate_series(1, 3)
      where a.id = ${visit}`;
    await sql`alter table resource_claims disable trigger claims_within_seats`;
    await claim;
    await sql`alter table resource_claims enable trigger claims_within_seats`;
    expect(await noticed()).toContain("no resource is claimed beyond its seats");
    await sql`delete from resource_claims where appointment_id = ${visit}`;
  });

  test("notices a change that was never announced", async () => {
    const sql = database.superuser.$client;
    const [taken] = await sql`delete from outbox where aggregate_id = ${visit} and aggregate_seq = 2 returning *`;
    expect(await noticed()).toContain("each change announces itself once, under its version and command");
    await sql`insert into outbox select * from jsonb_populate_record(null::outbox, ${JSON.stringify(taken)}::text::jsonb)`;
    expect(await noticed()).toEqual([]);
  });

  test("notices a day whose load is not the sum of its visits", async () => {
    const sql = database.superuser.$client;
    await sql`update daily_load set booked = booked + 1`;
    expect(await noticed()).toContain("a day's load is the sum of its visits");
    await sql`update daily_load set booked = booked - 1`;
  });
});
