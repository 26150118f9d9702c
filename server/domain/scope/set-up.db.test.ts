import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { createToken, listTokens, revokeToken } from "./api-tokens";
import { findToken } from "./find-token";
import { verifyPassword } from "./password";
import { createUser, listUsers, setUserDisabled } from "./users";

let db: TestDatabase;
const id = (n: string) => `01900000-0000-7000-8000-${n.padStart(12, "0")}`;

beforeAll(async () => {
  db = await createTestDatabase();
  const sql = db.migrator.$client;
  await sql`insert into tenant_groups (id, ref, name) values (${id("1")}, 'TG-A00000', 'A'), (${id("2")}, 'TG-B00000', 'B')`;
  for (const [clinic, group, ref] of [
    [id("c1"), id("1"), "CL-BER000"],
    [id("c2"), id("1"), "CL-KTM000"],
    [id("c9"), id("2"), "CL-XXX000"],
  ] as const)
    await sql`insert into clinics (id, tenant_group_id, ref, name, zone) values (${clinic}, ${group}, ${ref}, ${ref}, 'Europe/Berlin')`;
});
afterAll(() => db.close());

const wish = {
  tenantRef: "TG-A00000",
  clientName: "Portal",
  clinicRefs: ["CL-KTM000", "CL-BER000"],
  commands: ["appointments:create"] as const,
};
const audit = async () =>
  (await db.migrator.$client`select actor_kind || ' ' || act as line from audit_entries order by at`).map((row) => row.line);

describe("a token from the command line", () => {
  it("works at once, is stored as a hash only, and is audited", async () => {
    const made = await createToken(db.migrator, "root", wish);
    expect(await findToken(db.web, made.token)).toMatchObject({
      ref: made.clientRef,
      clinicIds: [id("c2"), id("c1")],
      commands: ["appointments:create"],
    });
    expect(JSON.stringify(await db.migrator.$client`select * from api_tokens`)).not.toContain(made.token);
    expect(await audit()).toEqual(["command-line api-token.created"]);
  });

  it("belongs to the same client when the client had one before: its keys stay its own", async () => {
    const [one, other] = [await createToken(db.migrator, "root", wish), await createToken(db.migrator, "root", wish)];
    expect((await findToken(db.web, one.token))?.clientId).toBe((await findToken(db.web, other.token))?.clientId);
  });

  it("ends when it is revoked, the others of the client do not", async () => {
    const [one, other] = [await createToken(db.migrator, "root", wish), await createToken(db.migrator, "root", wish)];
    expect(await revokeToken(db.migrator, "root", one.tokenId)).toBe(true);
    expect(await revokeToken(db.migrator, "root", one.tokenId)).toBe(false);
    expect(await findToken(db.web, one.token)).toBeUndefined();
    expect(await findToken(db.web, other.token)).toBeDefined();
    const states = new Map((await listTokens(db.migrator, "TG-A00000")).map((token) => [token.id, token.state]));
    expect([states.get(one.tokenId), states.get(other.tokenId)]).toEqual(["revoked", "live"]);
  });

  it("that should live for days has an end", async () => {
    const { token, tokenId } = await createToken(db.migrator, "root", { ...wish, days: 1 });
    expect(await findToken(db.web, token)).toBeDefined();
    await db.migrator.$client`update api_tokens set expires_at = expires_at - interval '25 hours' where id = ${tokenId}`;
    expect(await findToken(db.web, token)).toBeUndefined();
  });

  it("is not made for a clinic of another tenant group, nor listed there", async () => {
    await expect(createToken(db.migrator, "root", { ...wish, clinicRefs: ["CL-XXX000"] })).rejects.toMatchObject({ code: "not-found" });
    expect(await listTokens(db.migrator, "TG-B00000")).toEqual([]);
  });
});

describe("a user from the command line", () => {
  const user = {
    tenantRef: "TG-A00000",
    email: "a@clinic.invalid",
    name: "N",
    password: "long enough 1",
    roles: ["STAFF", "FRONT_DESK"] as const,
  };

  it("has each role in each clinic named, or in all of them", async () => {
    await createUser(db.migrator, "root", { ...user, clinicRefs: ["CL-BER000"] });
    await createUser(db.migrator, "root", { ...user, email: "b@clinic.invalid" });
    const roles = new Map((await listUsers(db.migrator, "TG-A00000")).map((row) => [row.email, row.roles]));
    expect(roles.get("a@clinic.invalid")).toEqual(["FRONT_DESK@CL-BER000", "STAFF@CL-BER000"]);
    expect(roles.get("b@clinic.invalid")).toEqual(["FRONT_DESK", "STAFF"]);
    const [row] = await db.migrator.$client`select password_hash from users where email = 'a@clinic.invalid'`;
    expect(await verifyPassword(user.password, row?.password_hash)).toBe(true);
  });

  it("is refused with a short password, or an address that somebody has in any tenant group", async () => {
    await expect(createUser(db.migrator, "root", { ...user, email: "c@clinic.invalid", password: "short" })).rejects.toMatchObject({
      code: "subject-invalid",
    });
    await expect(createUser(db.migrator, "root", { ...user, tenantRef: "TG-B00000", email: "A@clinic.invalid" })).rejects.toMatchObject({
      code: "subject-invalid",
    });
  });

  it("can be disabled and enabled again, within its own tenant group only", async () => {
    const { ref } = await createUser(db.migrator, "root", { ...user, email: "d@clinic.invalid" });
    const isDisabled = async () => (await listUsers(db.migrator, "TG-A00000")).find((row) => row.ref === ref)?.disabled;
    await setUserDisabled(db.migrator, "root", { tenantRef: "TG-A00000", userRef: ref, disabled: true });
    expect(await isDisabled()).toBe(true);
    await expect(setUserDisabled(db.migrator, "root", { tenantRef: "TG-B00000", userRef: ref, disabled: false })).rejects.toMatchObject({
      code: "not-found",
    });
    await setUserDisabled(db.migrator, "root", { tenantRef: "TG-A00000", userRef: ref, disabled: false });
    expect(await isDisabled()).toBe(false);
  });
});
