import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDb } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { parseDigestKeys } from "@/server/canonical-hash";
import { tokenHash } from "@/server/domain/scope/find-token";
import { authenticateToken } from "./authenticate-token";
import { createRateLimits } from "./rate-limits";

let db: TestDatabase;
const tenant = "01900000-0000-7000-8000-000000000001";
const clinic = "01900000-0000-7000-8000-0000000000c1";
const client = "01900000-0000-7000-8000-0000000000a1";

beforeAll(async () => {
  db = await createTestDatabase();
  await db.migrator.$client`insert into tenant_groups (id, ref, name) values (${tenant}, 'TG-A00000', 'A')`;
  await db.migrator.$client`insert into api_clients (id, tenant_group_id, ref, name) values (${client}, ${tenant}, 'AC-A00000', 'Portal')`;
  for (const [token, gone] of [["live"], ["revoked", "revoked_at"], ["expired", "expires_at"]] as const) {
    await db.migrator.$client`
      insert into api_tokens (tenant_group_id, api_client_id, token_hash, clinic_ids, commands)
      values (${tenant}, ${client}, ${tokenHash(token)}, ${[clinic]}::uuid[], ${["appointments:create", "not-a-command"]}::text[])`;
    if (gone)
      await db.migrator.$client.unsafe(`update api_tokens set ${gone} = now() - interval '1 s' where token_hash = '${tokenHash(token)}'`);
  }
});
afterAll(() => db.close());

const ringOf = (seed: string) => parseDigestKeys(`k1:${Buffer.from(seed).toString("base64")}`);
const ring = ringOf("0123456789abcdefghijklmnopqrstuv");
const limits = (tokenPerMinute = 100) => createRateLimits(db.web, { tokenPerMinute, ring });
const bearer = (token: string) => new Headers({ authorization: `Bearer ${token}` });
const address = "192.0.2.7";
const refusal = (work: Promise<unknown>) => work.then(() => "accepted").catch((error) => error.code);

describe("a token", () => {
  it("gives the client, its clinics and the commands that exist", async () => {
    expect(await authenticateToken(db.web, limits(), bearer("live"), address)).toMatchObject({
      kind: "token",
      tenantGroupId: tenant,
      clinicIds: [clinic],
      clientId: client,
      ref: "AC-A00000",
      commands: ["appointments:create"],
    });
  });

  it.each(["revoked", "expired", "unknown", "' or true --"])("that is %s is refused like any other", async (token) => {
    expect(await refusal(authenticateToken(db.web, limits(), bearer(token), address))).toBe("signed-out");
  });

  it("that is missing, or in another scheme, is refused", async () => {
    expect(await refusal(authenticateToken(db.web, limits(), new Headers(), address))).toBe("signed-out");
    expect(await refusal(authenticateToken(db.web, limits(), new Headers({ authorization: "Basic bGl2ZQ==" }), address))).toBe(
      "signed-out",
    );
  });

  it("over its limit is told when to come back, in every process", async () => {
    await db.superuser.$client`delete from rate_limits`;
    const [one, other] = [limits(3), limits(3)];
    for (const process of [one, other, one]) await authenticateToken(db.web, process, bearer("live"), address);
    for (const process of [one, other]) {
      const error = await authenticateToken(db.web, process, bearer("live"), address).catch((e) => e);
      expect(error.code).toBe("rate-limited");
      expect(error.retryAfterSeconds).toBeGreaterThan(0);
      expect(error.retryAfterSeconds).toBeLessThanOrEqual(60);
    }
  });

  it("that is guessed is limited by address, and the table names neither", async () => {
    await db.superuser.$client`delete from rate_limits`;
    const process = limits();
    const codes: string[] = [];
    for (let i = 0; i < 61; i++) codes.push(await refusal(authenticateToken(db.web, process, bearer(`guess-${i}`), address)));
    expect(codes.filter((code) => code === "signed-out")).toHaveLength(60);
    expect(codes.at(-1)).toBe("rate-limited");
    const rows = JSON.stringify(await db.superuser.$client`select * from rate_limits`);
    expect(rows).toContain("unknown-token:");
    expect(rows).not.toMatch(/192\.0\.2\.7|guess/);
  });

  it("what is counted cannot be found again without the product's key: all of IPv4 is hashed in minutes", async () => {
    const counted = async (of = ring) => {
      await db.superuser.$client`delete from rate_limits`;
      await createRateLimits(db.web, { tokenPerMinute: 100, ring: of }).address.consume(address);
      return (await db.superuser.$client`select key from rate_limits`).map((row) => row.key as string);
    };
    const [row] = await counted();
    expect(await counted()).toEqual([row]); // every web process counts in one row
    expect(await counted(ringOf("vutsrqponmlkjihgfedcba9876543210"))).not.toEqual([row]);
    for (const algorithm of ["sha256", "sha512", "sha1", "md5"])
      for (const encoding of ["hex", "base64url"] as const)
        expect(row).not.toContain(createHash(algorithm).update(address).digest(encoding).slice(0, 16));
  });

  it("is still limited while the store is away", async () => {
    const away = openDb("postgres://aops_web@127.0.0.1:1/none", { max: 1 });
    const { token } = createRateLimits(away, { tokenPerMinute: 2, ring });
    await token.consume("t");
    await token.consume("t");
    expect(await refusal(token.consume("t"))).toBe("rate-limited");
    await away.$client.end();
  });
});
