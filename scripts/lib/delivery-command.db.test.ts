import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { insertInboxRow, insertPerson, testDeps } from "@/server/domain/deliveries/testing";
import { insertTestScope, type TestScope } from "@/server/domain/inbox/testing";
import type { PersonActor, Role } from "@/server/domain/scope/actor";
import { hashPassword } from "@/server/domain/scope/password";
import { deliveryCommand } from "./delivery-command";

let db: TestDatabase;
let scope: TestScope;
let clinic: string;
const password = "a synthetic password";

beforeAll(async () => {
  db = await createTestDatabase();
  scope = await insertTestScope(db.superuser);
  clinic = (await db.superuser.$client`select ref from clinics where id = ${scope.clinicId}`)[0]?.ref;
});
afterAll(() => db.close());

async function person(...roles: Role[]): Promise<PersonActor> {
  const made = await insertPerson(db.superuser, scope, ...roles);
  await db.superuser.$client`update users set password_hash = ${await hashPassword(password)} where id = ${made.userId}`;
  return made;
}
const ops = (who: PersonActor, line: string, more: string[] = [], secret: string | undefined = password) =>
  deliveryCommand([...line.split(" "), "--as", `${who.ref}@clinic.invalid`, "--clinic", clinic, ...more], testDeps(db.web), secret);
const versionIn = (lines: string[]) => /version (\d+\.\d+)/.exec(lines.join("\n"))?.[1] as string;

describe("npm run ops -- delivery", () => {
  it("shows a row, keeps it as the person who proves to be one, and refuses the versions that are over", async () => {
    const staff = await person("STAFF");
    const row = `inbox.${await insertInboxRow(db.superuser, scope, { reason: "GAP" })}`;
    expect(await ops(staff, "groups")).toEqual(["1 GAP daily-load-v1", "1 of 1 reasons, 1 records"]);
    const version = versionIn(await ops(staff, `show --row ${row}`));
    const keep = ["--reason", "The version is lost."];
    expect(await ops(staff, `keep --row ${row} --version ${version}`, keep)).toContain("status KEPT");
    await expect(ops(staff, `keep --row ${row} --version ${version}`, keep)).rejects.toThrow("row-stale");
    await expect(ops(staff, `keep --row ${row} --version ${version}`)).rejects.toThrow();
    const [audited] = await db.superuser.$client`
      select actor_kind, actor_ref, actor_role, reason from audit_entries where act = 'delivery.keepQuarantined'`;
    expect(audited).toMatchObject({ actor_kind: "person", actor_ref: staff.ref, actor_role: "STAFF", reason: "The version is lost." });
    expect(await ops(staff, "groups")).toEqual(["0 of 0 reasons, 0 records"]);
  });

  it("asks for the password and the right, like the pages", async () => {
    const desk = await person("FRONT_DESK");
    const staff = await person("STAFF");
    const row = `inbox.${await insertInboxRow(db.superuser, scope)}`;
    const version = versionIn(await ops(staff, `show --row ${row}`));
    await expect(ops(staff, `assign --row ${row} --version ${version}`, [], "wrong password here")).rejects.toThrow("signed in");
    await expect(ops(desk, `assign --row ${row} --version ${version}`)).rejects.toThrow("right: STAFF");
    await expect(ops(staff, `release --row ${row} --version ${version}`, ["--reason", "Let it go."])).rejects.toThrow("NOTHING_WAITS");
    expect(await ops(staff, `assign --row ${row} --version ${version}`)).toContain(`assigneeRef ${staff.ref}`);
  });
});
