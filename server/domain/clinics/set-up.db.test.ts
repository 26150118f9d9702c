import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { insertAbsence, insertClinic, insertClosure, insertOutage } from "./set-up";
import { type ClinicFixture, createClinicFixture } from "./testing";

let db: TestDatabase;
let fixture: ClinicFixture;
beforeAll(async () => {
  db = await createTestDatabase();
  fixture = await createClinicFixture(db.migrator);
});
afterAll(() => db.close());

const factVersion = async (clinicId: string) =>
  BigInt((await db.superuser.$client`select fact_version from planning_scopes where clinic_id = ${clinicId}`)[0]?.fact_version);

describe("clinic set-up", () => {
  it("writes a closure with its instants and bumps the planning scope, as the web role", async () => {
    const { ber } = fixture.t1;
    const before = await factVersion(ber.id);
    const { id } = await withTx(db.web, ber.scope, (tx) =>
      insertClosure(tx, ber, { from: "2027-03-28", until: "2027-03-28", reason: "Clock change" }),
    );
    const [row] = await db.superuser.$client`
      select extract(epoch from upper(during) - lower(during))::int / 3600 as hours, local_until from closures where id = ${id}`;
    expect(row).toEqual({ hours: 23, local_until: "2027-03-29 00:00:00" });
    expect(await factVersion(ber.id)).toBeGreaterThan(before);
  });

  it("refuses a period that ends before it starts, and one in another clinic", async () => {
    const { ber, nyc } = fixture.t1;
    const doctorId = ber.doctors[0]?.id as string;
    const wrong = withTx(db.web, ber.scope, (tx) =>
      insertAbsence(tx, ber, { doctorId, from: "2027-02-09T12:00", until: "2027-02-09T10:00" }),
    );
    await expect(wrong).rejects.toMatchObject({ code: "subject-invalid" });
    const foreign = withTx(db.web, ber.scope, (tx) => insertClosure(tx, nyc, { from: "2027-02-09", until: "2027-02-09", reason: "X" }));
    await expect(foreign).rejects.toMatchObject({ code: "not-found" });
  });

  it("takes all units of a resource out when none are named", async () => {
    const { ber } = fixture.t1;
    const { id } = await withTx(db.web, ber.scope, (tx) =>
      insertOutage(tx, ber, { resourceId: ber.room.resourceId, from: "2027-02-09T09:00", until: "2027-02-09T10:00" }),
    );
    expect((await db.superuser.$client`select units from resource_outages where id = ${id}`)[0]?.units).toBe(10);
  });

  it("H-E9: a clinic does not silently inherit the zone of its group", async () => {
    for (const zone of ["", "Europe/Nowhere", "+01:00"]) {
      const made = withTx(db.migrator, {}, (tx) => insertClinic(tx, fixture.t1.tenantGroupId, { name: "No zone", zone }));
      await expect(made).rejects.toMatchObject({ code: "subject-invalid" });
    }
  });
});
