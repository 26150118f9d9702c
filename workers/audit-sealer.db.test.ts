import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { systemClock } from "@/server/clock";
import { appendAuditEntry } from "@/server/domain/audit/append-audit-entry";
import { readCheckpoints } from "@/server/domain/audit/checkpoint";
import { requestVerification } from "@/server/domain/audit/request-verification";
import { auditGroup, testRing } from "@/server/domain/audit/testing";
import { verifyChain } from "@/server/domain/audit/verify-chain";
import type { WorkerEnv } from "@/server/env";
import { metricsRegistry } from "@/server/metrics";
import { auditSealer } from "./audit-sealer";
import { WorkerStatus } from "./worker-status";

let db: TestDatabase;
let folder: string;
beforeAll(async () => {
  db = await createTestDatabase();
  folder = mkdtempSync(path.join(tmpdir(), "checkpoints-"));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await db.close();
});

/** Runs the worker until `isDone`; nothing is decided by time. */
async function runUntil(isDone: () => Promise<boolean>) {
  const stopping = new AbortController();
  const env = {
    DIGEST_KEYS: testRing,
    AUDIT_CHECKPOINT_FILE: path.join(folder, "checkpoints.jsonl"),
    AUDIT_CHECKPOINT_SECONDS: 0,
    AUDIT_VERIFY_MINUTES: 60,
  } as WorkerEnv;
  const status = new WorkerStatus("audit-sealer", "audit-sealer:test", systemClock);
  const shared = { db: db.worker, eventLog: undefined as never, env, clock: systemClock, random: () => 0, status };
  const running = auditSealer({ ...shared, signal: stopping.signal });
  while (!(await isDone())) await new Promise((resolve) => setTimeout(resolve, 20));
  stopping.abort();
  await running;
}

it("seals what is written, leaves a checkpoint that only its owner may read, answers who asked for a check, and finds the cut tail", async () => {
  const { actor, tenantGroupId } = await auditGroup(db, "WORKER");
  const sql = db.superuser.$client;
  const file = path.join(folder, "checkpoints.jsonl");
  await withTx(db.web, actor, async (tx) => {
    for (let n = 0; n < 5; n++) await appendAuditEntry(tx, actor, { act: "test.acted" });
    await requestVerification(tx, actor);
  });
  const last = () => readCheckpoints(readFileSync(file, "utf8")).at(-1);
  await runUntil(async () => {
    const [open] = await sql`select count(*)::int as count from audit_verifications where state = 'REQUESTED'`;
    return open?.count === 0 && last()?.seq === "6";
  });
  expect(statSync(file).mode & 0o077).toBe(0);
  expect(await sql`select fault, requested_by from audit_verifications`).toMatchObject([{ fault: null, requested_by: actor.ref }]);
  expect(await metricsRegistry().metrics()).toContain("aops_audit_sealed_total 6");

  await sql`delete from audit_seals where seq = 6`;
  await sql`delete from audit_entries where sealed_seq = 6`;
  const checkpoints = readCheckpoints(readFileSync(file, "utf8"));
  const found = await verifyChain(db.worker, tenantGroupId, { actor: { worker: "ops" }, ring: testRing, checkpoints });
  expect(found.fault).toEqual({ code: "TAIL_CUT", seq: "6" });
});
