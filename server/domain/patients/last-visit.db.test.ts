import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { type ClinicFixture, createClinicFixture, type FixtureClinic } from "@/server/domain/clinics/testing";
import type { PersonActor } from "@/server/domain/scope/actor";
import { newUuid } from "@/server/ids";
import { findPatients } from "./find-patients";
import { getPatient } from "./get-patient";

let db: TestDatabase;
let world: ClinicFixture;

beforeAll(async () => {
  db = await createTestDatabase();
  world = await createClinicFixture(db.migrator);
});
afterAll(() => db.close());

/** The front desk of some clinics of the tenant group. */
const deskOf = (...clinics: FixtureClinic[]): PersonActor => ({
  kind: "person",
  ...world.t1.scope,
  userId: newUuid(),
  ref: "ST-000001",
  roles: clinics.map(({ id }) => ({ role: "FRONT_DESK", clinicId: id })),
});

/** The record of a visit of the first patient. */
async function visit(clinic: FixtureClinic, date: string, status = "COMPLETED"): Promise<void> {
  const id = newUuid();
  const { $client: sql } = db.superuser;
  await sql`
    insert into appointments ${sql({
      id,
      tenant_group_id: clinic.tenantGroupId,
      clinic_id: clinic.id,
      ref: `APT-${id.slice(-6).toUpperCase()}`,
      status,
      patient_id: world.t1.patients[0]?.id ?? "",
      doctor_id: clinic.doctors[0]?.id ?? "",
      treatment_id: clinic.treatments.VISIT30,
      starts_at: `${date}T10:00Z`,
      ends_at: `${date}T10:30Z`,
      local_date: date,
      local_start: `${date}T11:00`,
      utc_offset_seconds: 3600,
      source: "IMPORT",
      command_id: newUuid(),
    })}`;
}

it("the last visit that took place tells a person from another; visits of clinics without the right are not named", async () => {
  const { ber, nyc } = world.t1;
  const id = world.t1.patients[0]?.id ?? "";
  const lastOf = async (actor: PersonActor) => (await getPatient(db.web, actor, id)).lastVisit;
  expect(await lastOf(deskOf(ber))).toBeNull();
  await visit(ber, "2024-03-05");
  await visit(ber, "2024-06-03");
  await visit(ber, "2024-07-01", "CANCELLED");
  await visit(ber, "2024-08-01", "NO_SHOW");
  await visit(ber, "2099-01-05", "CONFIRMED");
  await visit(nyc, "2024-09-10");
  expect(await lastOf(deskOf(ber))).toBe("2024-06-03");
  expect(await lastOf(deskOf(ber, nyc))).toBe("2024-09-10");
  const found = await findPatients(db.web, deskOf(ber), "patient 1");
  expect(found.find((one) => one.id === id)?.lastVisit).toBe("2024-06-03");
  expect(found.filter((one) => one.id !== id).every((one) => one.lastVisit === null)).toBe(true);
});
