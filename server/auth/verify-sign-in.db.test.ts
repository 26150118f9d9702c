import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { parseDigestKeys } from "@/server/canonical-hash";
import { loadActor } from "@/server/domain/scope/load-actor";
import { hashPassword, verifyPassword } from "@/server/domain/scope/password";
import { createRateLimits, type RateLimits } from "@/server/http/rate-limits";
import { clearTestPoints, setTestPoint } from "@/server/test-points";
import { verifySignIn } from "./verify-sign-in";

let db: TestDatabase;
let limits: RateLimits;
let scryptRuns = 0;
const ring = parseDigestKeys(`k1:${Buffer.from("0123456789abcdefghijklmnopqrstuv").toString("base64")}`);
const tenant = "01900000-0000-7000-8000-000000000001";
const userId = "01900000-0000-7000-8000-0000000000a1";
const clinics = ["01900000-0000-7000-8000-0000000000c1", "01900000-0000-7000-8000-0000000000c2"];
const email = "Staff@Clinic.invalid";
const password = "correct horse battery";

beforeAll(async () => {
  db = await createTestDatabase();
  const sql = db.migrator.$client;
  await sql`insert into tenant_groups (id, ref, name) values (${tenant}, 'TG-A00000', 'A')`;
  for (const [i, clinic] of clinics.entries())
    await sql`insert into clinics (id, tenant_group_id, ref, name, zone) values (${clinic}, ${tenant}, ${`CL-00000${i}`}, 'C', 'Europe/Berlin')`;
  await sql`
    insert into users (id, tenant_group_id, ref, email, name, password_hash)
    values (${userId}, ${tenant}, 'ST-A00000', ${email}, 'Name', ${await hashPassword(password)})`;
});
beforeEach(async () => {
  await db.migrator.$client`truncate audit_entries, user_roles`;
  await db.superuser.$client`truncate rate_limits`;
  await db.migrator.$client`update users set disabled_at = null`;
  limits = createRateLimits(db.web, { tokenPerMinute: 100, ring });
  scryptRuns = 0;
  setTestPoint("scrypt", () => void scryptRuns++);
});
afterEach(clearTestPoints);
afterAll(() => db.close());

const attempt = (typed: { email?: string; password?: string; address?: string } = {}) =>
  verifySignIn(db.web, limits, { email, password, address: "192.0.2.1", ...typed });
const audit = async () =>
  (await db.migrator.$client`select act, result, reason_code from audit_entries order by at`).map((row) =>
    Object.values(row).join(" ").trim(),
  );

describe("signing in", () => {
  it("works with the right password, in any case of the address, and is audited", async () => {
    expect(await attempt({ email: " staff@clinic.INVALID " })).toEqual({ outcome: "SIGNED_IN", user: { tenantGroupId: tenant, userId } });
    expect(await audit()).toEqual(["session.signed-in DONE"]);
  });

  it("is refused with a wrong password, and audited", async () => {
    expect(await attempt({ password: "wrong" })).toEqual({ outcome: "REFUSED" });
    expect(await audit()).toEqual(["session.sign-in-refused REFUSED PASSWORD_WRONG"]);
  });

  it("of somebody unknown costs the same hash as of somebody known, and gives the same answer", async () => {
    expect(await attempt({ password: "wrong" })).toEqual(await attempt({ email: "nobody@clinic.invalid" }));
    expect(scryptRuns).toBe(2);
    expect(await audit()).toHaveLength(1);
  });

  it("of a disabled user costs the same hash and gives the same answer", async () => {
    await db.migrator.$client`update users set disabled_at = now()`;
    expect(await attempt()).toEqual({ outcome: "REFUSED" });
    expect(scryptRuns).toBe(1);
    expect(await audit()).toEqual(["session.sign-in-refused REFUSED USER_DISABLED"]);
  });

  it.each([email, "nobody@clinic.invalid"])(
    "to the account %s is throttled after ten wrong passwords, tried at once or not",
    async (account) => {
      const ends = await Promise.all(Array.from({ length: 13 }, () => attempt({ email: account, password: "wrong" })));
      expect(ends.filter((end) => end.outcome === "REFUSED")).toHaveLength(10);
      expect(scryptRuns).toBe(10);
      const right = await attempt({ email: account });
      expect(right).toMatchObject({ outcome: "THROTTLED", retryAfterSeconds: expect.any(Number) });
    },
  );

  it("forgives the wrong passwords before a right one", async () => {
    for (let i = 0; i < 9; i++) await limits.account.consume(email.toLowerCase());
    expect((await attempt()).outcome).toBe("SIGNED_IN");
    expect((await attempt({ password: "wrong" })).outcome).toBe("REFUSED");
    expect((await attempt()).outcome).toBe("SIGNED_IN");
  });

  it("from one address is throttled over all accounts", async () => {
    for (let i = 0; i < 99; i++) await limits.address.consume("192.0.2.9");
    for (let i = 0; i < 3; i++) expect((await attempt({ address: "192.0.2.9" })).outcome).toBe("SIGNED_IN");
    await limits.address.consume("192.0.2.9");
    expect((await attempt({ address: "192.0.2.9" })).outcome).toBe("THROTTLED");
    expect((await attempt()).outcome).toBe("SIGNED_IN");
  });
});

describe("a password", () => {
  it("is not the stored text, nor the same text twice", async () => {
    const [one, other] = [await hashPassword(password), await hashPassword(password)];
    expect(one).not.toContain(password);
    expect(one).not.toBe(other);
    expect(await verifyPassword(password, other)).toBe(true);
  });

  it("is the same in composed and decomposed characters", async () => {
    expect(await verifyPassword("p\u00e4ssword", await hashPassword("pa\u0308ssword"))).toBe(true);
  });
});

describe("the person of a session", () => {
  const load = () => loadActor(db.web, { tenantGroupId: tenant, userId });
  const grant = (role: string, clinic: string | null) =>
    db.migrator
      .$client`insert into user_roles (tenant_group_id, user_id, role, clinic_id) values (${tenant}, ${userId}, ${role}, ${clinic})`;

  it("has the clinics of each role; a role without a clinic is for all of them", async () => {
    expect(await load()).toMatchObject({ kind: "person", ref: "ST-A00000", roles: [], clinicIds: [] });
    await grant("FRONT_DESK", clinics[1] as string);
    expect(await load()).toMatchObject({
      roles: [{ role: "FRONT_DESK", clinicId: clinics[1] }],
      clinicIds: [clinics[1]],
      clinicRefs: ["CL-000001"],
    });
    await grant("STAFF", null);
    expect((await load())?.clinicIds).toEqual(clinics);
  });

  it("loses a role with the next request, and everything when disabled", async () => {
    await grant("STAFF", null);
    expect((await load())?.roles).toHaveLength(1);
    await db.migrator.$client`delete from user_roles`;
    expect((await load())?.roles).toEqual([]);
    await db.migrator.$client`update users set disabled_at = now()`;
    expect(await load()).toBeUndefined();
  });

  it("is nobody under another tenant group", async () => {
    expect(await loadActor(db.web, { tenantGroupId: "01900000-0000-7000-8000-000000000002", userId })).toBeUndefined();
  });
});
