import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { appendAuditEntry } from "@/server/domain/audit/append-audit-entry";
import { takeCheckpoints } from "@/server/domain/audit/checkpoint";
import { sealOnce } from "@/server/domain/audit/seal-once";
import { auditGroup, testRing } from "@/server/domain/audit/testing";

let db: TestDatabase;
let folder: string;
beforeAll(async () => {
  db = await createTestDatabase();
  folder = mkdtempSync(path.join(tmpdir(), "ops-audit-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await db.close();
});

const digestKeys = [...testRing.keys].map(([id, key]) => `${id}:${key.toString("base64")}`).join(",");
function ops(...more: string[]) {
  const env = { ...process.env, MIGRATOR_DATABASE_URL: db.urls.migrator, DIGEST_KEYS: digestKeys, AUDIT_CHECKPOINT_FILE: "" };
  const { status, stdout, stderr } = spawnSync(process.execPath, ["node_modules/.bin/tsx", "scripts/ops.ts", "audit", "verify", ...more], {
    env,
    encoding: "utf8",
  });
  return { status, text: stdout + stderr };
}

it("the command line finds a cut tail by the checkpoints, a rewritten middle and a swap without them, and says where", async () => {
  const { actor, tenantGroupId } = await auditGroup(db, "OPS");
  const sql = db.superuser.$client;
  await withTx(db.web, actor, async (tx) => {
    for (let n = 0; n < 6; n++) await appendAuditEntry(tx, actor, { act: "test.acted", details: { n } });
  });
  await sealOnce(db.worker, { worker: "sealer", ring: testRing });
  const file = path.join(folder, "kept.jsonl");
  const kept = await takeCheckpoints(db.worker, "sealer", testRing, new Map());
  writeFileSync(file, kept.map((checkpoint) => JSON.stringify(checkpoint)).join("\n"));
  expect(ops("--checkpoints", file)).toMatchObject({ status: 0, text: expect.stringContaining("whole through 6, 1 checkpoints compared") });

  await sql`update audit_entries set sealed_seq = 7 - sealed_seq where sealed_seq in (3, 4)`;
  expect(ops("--tenant", "TG-OPS")).toMatchObject({ status: 1, text: expect.stringContaining("BROKEN at 3: ENTRY_CHANGED") });
  await sql`update audit_entries set sealed_seq = 7 - sealed_seq where sealed_seq in (3, 4)`;

  await sql`update audit_entries set actor_ref = 'ST-OTHER' where sealed_seq = 2`;
  expect(ops().text).toContain("BROKEN at 2: ENTRY_CHANGED");
  await sql`update audit_entries set actor_ref = ${actor.ref} where sealed_seq = 2`;

  await sql`delete from audit_entries where sealed_seq = 6`;
  await sql`delete from audit_seals where tenant_group_id = ${tenantGroupId} and seq = 6`;
  expect(ops()).toMatchObject({ status: 0, text: expect.stringContaining("a cut tail cannot be seen") });
  expect(ops("--checkpoints", file)).toMatchObject({ status: 1, text: expect.stringContaining("BROKEN at 6: TAIL_CUT") });
  expect(ops("--checkpoints", "nowhere").text).toContain("there is no file nowhere");
});
