import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { type ClinicFixture, createClinicFixture } from "@/server/domain/clinics/testing";
import type { PersonActor } from "@/server/domain/scope/actor";
import { newRef, newUuid } from "@/server/ids";
import { findPatients } from "./find-patients";
import { foldName } from "./fold-name";
import { phoneDigits } from "./phone-digits";

let db: TestDatabase;
let world: ClinicFixture;
let desk: PersonActor;

beforeAll(async () => {
  db = await createTestDatabase();
  world = await createClinicFixture(db.migrator);
  const { ber } = world.t1;
  desk = {
    kind: "person",
    ...world.t1.scope,
    userId: newUuid(),
    ref: "ST-000001",
    roles: [{ role: "FRONT_DESK", clinicId: ber.id }],
  };
  await person("Marta Lindqvist", "+49 172 555 0142", "1984-03-12");
  await person("Marta Lindqvist", "+49 30 901820", "1990-07-01");
  await person("Marta Lindkvist", "+49 172 555 0199", "1984-12-03");
  await person("Jonas Albrecht", "+49 172 555 0142", "1984-03-12");
});
afterAll(() => db.close());

async function person(name: string, phone: string, birthDate: string): Promise<void> {
  const { $client: sql } = db.superuser;
  const resourceId = newUuid();
  const { tenantGroupId } = world.t1;
  await sql`insert into resources ${sql({ id: resourceId, tenant_group_id: tenantGroupId, kind: "PATIENT", seats: 1 })}`;
  await sql`
    insert into patients ${sql({
      id: newUuid(),
      tenant_group_id: tenantGroupId,
      ref: newRef("PT"),
      resource_id: resourceId,
      name,
      name_search: foldName(name),
      phone,
      phone_digits: phoneDigits(phone),
      birth_date: birthDate,
    })}`;
}

const found = async (typed: string) => (await findPatients(db.web, desk, typed)).map(({ name, phone }) => `${name} ${phone?.slice(-4)}`);

it("two parts of a name and digits of the phone number find the one person whom all of them fit", async () => {
  expect(await found("lindq marta")).toEqual(["Marta Lindqvist 0142", "Marta Lindqvist 1820"].sort());
  expect(await found("lindq marta 0172")).toEqual(["Marta Lindqvist 0142"]);
  expect(await found("0172.555 lindq")).toEqual(["Marta Lindqvist 0142"]);
  expect(await found("marta 0172 0199")).toEqual([]); // one number in two groups, and nobody has it
  expect(await found("marta 0172 lind 0199")).toEqual(["Marta Lindkvist 0199"]);
  expect(await found("lindq 0179")).toEqual([]);
});

it("a birth date is found in the forms that people write, alone and beside a name", async () => {
  for (const typed of ["1984-03-12", "12.03.1984", "12 Mar 1984", "1984년 3월 12일", "19840312"]) {
    expect((await found(typed)).sort(), typed).toEqual(["Jonas Albrecht 0142", "Marta Lindqvist 0142"]);
    expect(await found(`marta ${typed}`), typed).toEqual(["Marta Lindqvist 0142"]);
  }
  expect(await found("12/03/1984")).toEqual([]); // March or December: not guessed
});
