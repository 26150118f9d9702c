import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { findToken } from "@/server/domain/scope/find-token";

let db: TestDatabase;
const id = (n: string) => `01900000-0000-7000-8000-${n.padStart(12, "0")}`;
beforeAll(async () => {
  db = await createTestDatabase();
  const sql = db.migrator.$client;
  await sql`insert into tenant_groups (id, ref, name) values (${id("1")}, 'TG-A00000', 'A')`;
  for (const [clinic, ref] of [
    [id("c1"), "CL-BER000"],
    [id("c2"), "CL-KTM000"],
  ] as const)
    await sql`insert into clinics (id, tenant_group_id, ref, name, zone) values (${clinic}, ${id("1")}, ${ref}, ${ref}, 'Europe/Berlin')`;
});
afterAll(() => db.close());

function token(...words: string[]) {
  const env = { ...process.env, MIGRATOR_DATABASE_URL: db.urls.migrator };
  const { status, stdout, stderr } = spawnSync(process.execPath, ["node_modules/.bin/tsx", "scripts/ops.ts", "token", ...words], {
    env,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}
const wish = ["--tenant", "TG-A00000", "--client", "Portal", "--clinics", "CL-BER000, CL-KTM000,CL-BER000"];
const commands = ["--commands", "appointments:create,appointments:cancel"];
const tokens = () => db.superuser.$client<{ id: string; token_hash: unknown }[]>`select * from api_tokens order by created_at`;
const refused = { status: 1, stdout: "" };

describe("npm run ops -- token", () => {
  it("create shows the token once, list shows all but it, revoke ends it, and a second revoke says so", async () => {
    const created = token("create", ...wish, ...commands, "--days", "90");
    expect(created).toMatchObject({ status: 0, stderr: "" });
    const [, secret = "", client = "", tokenId = ""] =
      /^(aops_[\w-]{43})\n\nclient (AC-\w+), token id ([\w-]{36})\. It is shown this once: keep it now\.\n$/.exec(created.stdout) ?? [];
    expect(await findToken(db.web, secret)).toMatchObject({
      tokenId,
      ref: client,
      clinicIds: [id("c1"), id("c2")],
      commands: ["appointments:create", "appointments:cancel"],
    });
    expect(JSON.stringify(await tokens())).not.toContain(secret);

    const listed = token("list", "--tenant", "TG-A00000");
    expect(listed.stdout).toBe(`${tokenId}  live  ${client}  Portal  CL-BER000,CL-KTM000  appointments:create,appointments:cancel\n`);

    expect(token("revoke", "--id", tokenId)).toEqual({ status: 0, stdout: `token ${tokenId} is revoked\n`, stderr: "" });
    expect(await findToken(db.web, secret)).toBeUndefined();
    expect(token("revoke", "--id", tokenId)).toMatchObject({ status: 0, stdout: `token ${tokenId} was revoked before\n` });
    expect(token("list", "--tenant", "TG-A00000").stdout).toContain(`${tokenId}  revoked  `);
  });

  it("refuses what is missing, unknown or out of bounds by name, and makes nothing", async () => {
    const before = (await tokens()).length;
    expect(token("create", ...wish)).toMatchObject({
      ...refused,
      stderr: expect.stringMatching(/^--commands is missing\n\nnpm run ops -- token create /),
    });
    expect(token("create", ...wish, "--commands", "appointments:create,everything")).toMatchObject({
      ...refused,
      stderr: expect.stringMatching(/^everything is none of .*appointments:create/),
    });
    expect(token("create", ...wish, "--commands", ",")).toMatchObject({
      ...refused,
      stderr: expect.stringMatching(/^nothing is none of /),
    });
    expect(token("create", ...wish, ...commands, "--days", "0")).toMatchObject({
      ...refused,
      stderr: "--days is a whole number from 1 to 3650\n",
    });
    expect(token("create", ...wish, ...commands, "--dais", "9")).toMatchObject({ ...refused, stderr: expect.stringContaining("--dais") });
    const elsewhere = ["--tenant", "TG-A00000", "--client", "Portal", "--clinics", "CL-XXX000"];
    expect(token("create", ...elsewhere, ...commands)).toMatchObject({ ...refused, stderr: expect.stringContaining("CL-XXX000") });
    expect((await tokens()).length).toBe(before);
  });

  it("says which references are not there, and what it can do", () => {
    expect(token("list", "--tenant", "TG-NOBODY")).toMatchObject({ ...refused, stderr: expect.stringContaining("TG-NOBODY") });
    expect(token("revoke", "--id", id("7"))).toMatchObject({ ...refused, stderr: `There is no token ${id("7")}.\n` });
    expect(token("destroy")).toMatchObject({
      ...refused,
      stderr: expect.stringMatching(/^npm run ops -- token create [\s\S]*token revoke/),
    });
  });
});
