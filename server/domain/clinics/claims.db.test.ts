// The database's own word on double booking: what happens when every check in code is left out.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TxOptions, withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { databaseError, sqlstate } from "@/db/tx-error";
import { newUuid } from "@/server/ids";
import { toIso } from "./local-time";
import { insertEquipment, insertOutage } from "./set-up";
import { type ClinicFixture, createClinicFixture, type FixtureClinic } from "./testing";
import { insertBareClaims, insertBareVisit } from "./testing-visits";

let db: TestDatabase;
let fixture: ClinicFixture;
let ber: FixtureClinic;
beforeAll(async () => {
  db = await createTestDatabase();
  fixture = await createClinicFixture(db.migrator);
  ber = fixture.t1.ber;
});
afterAll(() => db.close());

const noon = Date.parse("2027-02-09T11:00Z");
const isolations = ["read committed", "repeatable read", "serializable"] as const;
type Isolation = (typeof isolations)[number];
type Claim = { from: number; until: number; seats: number | null };

/** A device of its own for each round, so that rounds do not meet. Its visits are all of one patient-less kind: claims and nothing else. */
async function newDevice(quantity: number, outages: { from: number; until: number; units: number }[] = []): Promise<string> {
  return withTx(db.web, ber.scope, async (tx) => {
    const { resourceId } = await insertEquipment(tx, ber, { name: "Device", quantity });
    const local = (at: number) => toIso(at + 3_600_000).slice(0, 16); // Berlin in winter
    for (const { from, until, units } of outages)
      await insertOutage(tx, ber, { resourceId, from: local(from), until: local(until), units });
    return resourceId;
  });
}

/** One visit with one claim, written past every check but the trigger. */
function claimOnce(resourceId: string, claim: Claim, options: TxOptions): Promise<"held" | "refused"> {
  const placement = {
    doctorId: ber.doctors[0]?.id as string,
    startsAt: toIso(claim.from),
    endsAt: toIso(claim.until),
    localDate: "2027-02-09",
    localStart: "2027-02-09T12:00",
    utcOffsetSeconds: 3600,
    equipment: [],
    claims: [{ resourceId, fromIso: toIso(claim.from), untilIso: toIso(claim.until), seats: claim.seats }],
  };
  const visit = { treatmentId: ber.treatments.VISIT30, patientId: fixture.t1.patients[0]?.id as string, placement };
  return withTx(db.web, ber.scope, (tx) => insertBareVisit(tx, ber, visit), { attemptsMax: 50, ...options }).then(
    () => "held" as const,
    (error) => {
      expect([sqlstate(error), databaseError(error)?.constraint]).toEqual(["23P01", "claims_within_seats"]);
      return "refused" as const;
    },
  );
}

/** Instants at which a resource holds more than it may: counted minute by minute, not as the trigger does it. */
async function excess(resourceId: string): Promise<string[]> {
  const rows = await db.superuser.$client`
    with minute as (select generate_series(${toIso(noon - 7_200_000)}::timestamptz, ${toIso(noon + 14_400_000)}::timestamptz, interval '1 minute') as at)
    select m.at, count(*) as taken, r.seats, min(coalesce(c.seats, r.seats)) as smallest,
           (select coalesce(sum(o.units), 0) from resource_outages o where o.resource_id = r.id and o.during @> m.at) as units
    from minute m
    join resources r on r.id = ${resourceId}
    join resource_claims c on c.resource_id = r.id and c.during @> m.at and not c.overridden
    group by m.at, r.id, r.seats`;
  return rows
    .filter((row) => Number(row.taken) > Math.min(Number(row.smallest), Number(row.units) > 0 ? row.seats - Number(row.units) : 1_000))
    .map((row) => `${row.at}: ${row.taken}`);
}

const half = 30 * 60_000;

describe("double booking is refused by the database itself", () => {
  for (const isolation of isolations)
    for (const limit of [1, 2, 3])
      it(`of 8 who want the same half hour at once, ${limit} get it (${isolation})`, async () => {
        const resourceId = await newDevice(limit);
        const racers = Array.from({ length: 8 }, () =>
          claimOnce(resourceId, { from: noon, until: noon + half, seats: null }, { isolation }),
        );
        expect((await Promise.all(racers)).filter((end) => end === "held")).toHaveLength(limit);
        expect(await excess(resourceId)).toEqual([]);
      });

  it("limits of 1, 2 and 3, outages and isolation levels mixed, racing on 8 connections: never more than allowed at any minute", async () => {
    let seed = 20270209;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * below);
    };
    const ends = { held: 0, refused: 0 };
    for (let round = 0; round < 12; round += 1) {
      const span = () => ({ from: noon + (random(12) - 2) * 10 * 60_000, minutes: 10 * (1 + random(6)) });
      const outages = Array.from({ length: random(3) }, () => ({ ...span(), units: 1 + random(2) }));
      const resourceId = await newDevice(
        1 + (round % 3),
        outages.map(({ from, minutes, units }) => ({ from, until: from + minutes * 60_000, units })),
      );
      const claims = Array.from({ length: 16 }, () => {
        const { from, minutes } = span();
        return { from, until: from + minutes * 60_000, seats: random(3) === 0 ? 1 + random(3) : null };
      });
      const racers = claims.map((claim) => claimOnce(resourceId, claim, { isolation: isolations[random(3)] as Isolation }));
      for (const end of await Promise.all(racers)) ends[end] += 1;
      expect(await excess(resourceId)).toEqual([]);
    }
    expect(Math.min(ends.held, ends.refused)).toBeGreaterThan(20); // the rounds really filled up
  });

  it("a claim and an outage that race: the one that comes second sees the first, at each isolation level", async () => {
    for (const isolation of isolations)
      for (let round = 0; round < 4; round += 1) {
        const resourceId = await newDevice(1);
        const outage = withTx(
          db.web,
          ber.scope,
          (tx) => insertOutage(tx, ber, { resourceId, from: "2027-02-09T12:00", until: "2027-02-09T13:00" }),
          {
            isolation,
            attemptsMax: 50,
          },
        );
        const [, first] = await Promise.all([
          outage,
          claimOnce(resourceId, { from: noon, until: noon + half, seats: null }, { isolation }),
        ]);
        const later = await claimOnce(resourceId, { from: noon + half, until: noon + 2 * half, seats: null }, { isolation });
        expect([first === "held" || first === "refused", later]).toEqual([true, "refused"]);
      }
  });

  it("a claim waits for an outage that is being written, and is refused by it, at each isolation level", async () => {
    for (const isolation of isolations) {
      const resourceId = await newDevice(1);
      let written!: () => void;
      let release!: () => void;
      const isWritten = new Promise<void>((resolve) => {
        written = resolve;
      });
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const outage = withTx(db.web, ber.scope, async (tx) => {
        await tx.sql`
          insert into resource_outages (tenant_group_id, clinic_id, resource_id, local_from, local_until, during, units, reason)
          values (${ber.tenantGroupId}, ${ber.id}, ${resourceId}, '2027-02-09T12:00', '2027-02-09T13:00',
            ${`[${toIso(noon)},${toIso(noon + 2 * half)})`}::tstzrange, 1, 'Maintenance')`; // by a writer that does not lock the resource itself
        written();
        await released; // a slow writer
      });
      await isWritten;
      const claim = claimOnce(resourceId, { from: noon, until: noon + half, seats: null }, { isolation });
      expect(await Promise.race([claim, untilSomebodyWaits()])).toBe("waits");
      release();
      await outage;
      expect(await claim).toBe("refused");
    }
  });

  it("half hours that touch, and a whole one across them, need two units and no third", async () => {
    const resourceId = await newDevice(2);
    const ends = [];
    for (const [from, until] of [
      [0, 1],
      [1, 2],
      [0, 2],
      [0, 1],
    ] as const)
      ends.push(await claimOnce(resourceId, { from: noon + from * half, until: noon + until * half, seats: null }, {}));
    expect(ends).toEqual(["held", "held", "held", "refused"]);
  });

  it("a group of ten on a doctor of one: ten get in, the eleventh and a single visit do not", async () => {
    const resourceId = ber.doctors[1]?.resourceId as string;
    const one = (seats: number | null) => claimOnce(resourceId, { from: noon, until: noon + half, seats }, {});
    const ends = await Promise.all(Array.from({ length: 11 }, () => one(10)));
    expect(ends.filter((end) => end === "held")).toHaveLength(10);
    expect(await one(null)).toBe("refused");
  });

  it("a doctor of two clinics is not booked twice, though neither clinic sees the other's visit", async () => {
    const { nyc } = fixture.t1;
    const resourceId = ber.doctors[0]?.resourceId as string;
    expect(await claimOnce(resourceId, { from: noon + 6 * half, until: noon + 7 * half, seats: null }, {})).toBe("held");
    const there = withTx(db.web, nyc.scope, async (tx) => {
      expect(await tx.sql`select 1 from resource_claims where resource_id = ${resourceId}`).toHaveLength(0);
      await insertBareVisit(tx, nyc, {
        treatmentId: nyc.treatments.VISIT30,
        patientId: fixture.t1.patients[1]?.id as string,
        placement: {
          doctorId: nyc.doctors[0]?.id as string,
          startsAt: toIso(noon + 6 * half),
          endsAt: toIso(noon + 7 * half),
          localDate: "2027-02-09",
          localStart: "2027-02-09T09:00",
          utcOffsetSeconds: -18_000,
          equipment: [],
          claims: [{ resourceId, fromIso: toIso(noon + 6 * half), untilIso: toIso(noon + 7 * half), seats: null }],
        },
      });
    });
    await expect(there).rejects.toMatchObject({ code: "23P01" });
  });

  it("two visits that trade places pass when the check waits for the end, and fail one by one", async () => {
    const resourceId = await newDevice(1);
    const ids = [newUuid(), newUuid()];
    const swap = (deferred: boolean) =>
      withTx(db.web, ber.scope, async (tx) => {
        if (deferred) await tx.sql`set constraints claims_within_seats deferred`;
        const spans = [`[${toIso(noon + half)},${toIso(noon + 2 * half)})`, `[${toIso(noon)},${toIso(noon + half)})`];
        for (const [i, during] of spans.entries())
          await tx.sql`update resource_claims set during = ${during} where appointment_id = ${ids[i] as string} and resource_id = ${resourceId}`;
      });
    await withTx(db.web, ber.scope, async (tx) => {
      for (const i of [0, 1]) {
        const [from, until] = [noon + i * half, noon + (i + 1) * half];
        const { id } = await insertBareVisit(tx, ber, {
          treatmentId: ber.treatments.VISIT30,
          patientId: fixture.t1.patients[2]?.id as string,
          placement: {
            doctorId: ber.doctors[0]?.id as string,
            startsAt: toIso(from),
            endsAt: toIso(until),
            localDate: "2027-02-09",
            localStart: "2027-02-09T12:00",
            utcOffsetSeconds: 3600,
            equipment: [],
            claims: [],
          },
        });
        ids[i] = id;
        await insertBareClaims(tx, ber, id, [{ resourceId, fromIso: toIso(from), untilIso: toIso(until), seats: null }]);
      }
    });
    await expect(swap(false)).rejects.toMatchObject({ code: "23P01" });
    await expect(swap(true)).resolves.toBeUndefined();
  });

  it("without the trigger the same race books too many: the tests above can fail", async () => {
    await db.superuser.$client`alter table resource_claims disable trigger claims_within_seats`;
    try {
      const resourceId = await newDevice(1);
      const racers = Array.from({ length: 8 }, () => claimOnce(resourceId, { from: noon, until: noon + half, seats: null }, {}));
      expect(await Promise.all(racers)).toEqual(Array(8).fill("held"));
      expect(await excess(resourceId)).not.toEqual([]);
    } finally {
      await db.superuser.$client`alter table resource_claims enable trigger claims_within_seats`;
    }
  });
});

async function untilSomebodyWaits(): Promise<"waits"> {
  for (;;) {
    const [row] = await db.superuser.$client`
      select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    if (row?.count > 0) return "waits";
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
