import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { parseDigestKeys } from "@/server/canonical-hash";
import { appendAuditEntry } from "./append-audit-entry";
import { auditBacklog } from "./audit-backlog";
import { type Checkpoint, isSigned, readCheckpoints, takeCheckpoints } from "./checkpoint";
import { chainStart, entryDigest, sealHash } from "./entry-digest";
import { requestVerification } from "./request-verification";
import { sealOnce } from "./seal-once";
import { auditGroup, testRing as ring } from "./testing";
import { verifyChain } from "./verify-chain";
import { verifyOnce } from "./verify-once";

let db: TestDatabase;
let group: Awaited<ReturnType<typeof auditGroup>>;
let made = 0;
const sql = () => db.superuser.$client;
const seal = (limit?: number) => sealOnce(db.worker, { worker: "sealer-1", ring, limit });
const write = (count: number) =>
  withTx(db.web, group.actor, async (tx) => {
    for (let n = 0; n < count; n++)
      await appendAuditEntry(tx, group.actor, { act: "test.acted", clinicId: group.clinicIds[0], details: { n } });
  });
const verify = (checkpoints: Checkpoint[] = [], batch = 4) =>
  verifyChain(db.worker, group.tenantGroupId, { actor: { worker: "verifier" }, ring, checkpoints, batch });
const faultOf = async (checkpoints?: Checkpoint[]) => (await verify(checkpoints)).fault;
const checkpointsNow = async () =>
  (await takeCheckpoints(db.worker, "sealer-1", ring, new Map())).filter((one) => one.tenantGroupId === group.tenantGroupId);
const seals = () => sql()`select * from audit_seals where tenant_group_id = ${group.tenantGroupId} order by seq`;

beforeAll(async () => {
  db = await createTestDatabase();
});
beforeEach(async () => {
  made += 1;
  group = await auditGroup(db, `CHAIN${made}`);
});
afterAll(() => db.close());

describe("the sealer", () => {
  it("gives every entry one place, in batches, and the chain is whole", async () => {
    await write(7);
    for (const sealed of [3, 3, 1, 0]) expect((await seal(3)).sealed).toBe(sealed);
    expect((await seals()).map((row) => Number(row.seq))).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect((await seals())[0]?.prev_hash).toBe(chainStart);
    expect(await verify()).toEqual({ throughSeq: "7", checkpoints: 0, fault: null });
  });

  it("does not pass over an entry that was committed after a later one was sealed", async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let written = () => {};
    const isWritten = new Promise<void>((resolve) => {
      written = resolve;
    });
    const late = sql().begin(async (tx) => {
      await tx`
        insert into audit_entries (tenant_group_id, actor_kind, actor_id, actor_ref, act, result)
        values (${group.tenantGroupId}, 'person', 'late', 'ST-LATE', 'test.late', 'DONE')`;
      written();
      await released;
    });
    await isWritten;
    await write(1);
    expect((await seal()).sealed).toBe(1);
    release();
    await late;
    expect((await seal()).sealed).toBe(1);
    const rows = await sql()`select act, sealed_seq from audit_entries where tenant_group_id = ${group.tenantGroupId} order by at`;
    expect(rows.map((row) => [row.act, Number(row.sealed_seq)])).toEqual([
      ["test.late", 2],
      ["test.acted", 1],
    ]);
    expect(await faultOf()).toBeNull();
  });

  it("of several at once makes one chain, and a fork cannot be written even without the lock", async () => {
    await write(40);
    await Promise.all(Array.from({ length: 6 }, () => seal(10)));
    while ((await seal(10)).sealed > 0);
    expect(await verify()).toMatchObject({ throughSeq: "40", fault: null });
    const [last] = (await seals()).slice(-1);
    const fork = (seq: number, prevHash: string) =>
      sql()`
        insert into audit_seals (tenant_group_id, seq, entry_id, entry_digest, prev_hash, hash, version, key_id)
        values (${group.tenantGroupId}, ${seq}, uuidv7(), 'd', ${prevHash}, 'h', 1, 'k1')`;
    await expect(fork(40, "other")).rejects.toMatchObject({ code: "23505" });
    await expect(fork(41, last?.prev_hash as string)).rejects.toMatchObject({ code: "23505" });
  });

  it("keeps the chains of two tenant groups apart, and an entry that stays unsealed shows by its age", async () => {
    await write(2);
    const first = group;
    group = await auditGroup(db, `OTHER${made}`);
    await write(1);
    await sql()`update audit_entries set at = at - interval '10 minutes' where tenant_group_id = ${group.tenantGroupId}`;
    const backlog = () => withTx(db.worker, { worker: "metrics" }, auditBacklog);
    expect((await backlog()).oldestSeconds).toBeGreaterThanOrEqual(600);
    await seal();
    expect(await backlog()).toMatchObject({ unsealed: 0, oldestSeconds: 0 });
    expect(await verify()).toMatchObject({ throughSeq: "1", fault: null });
    group = first;
    expect(await verify()).toMatchObject({ throughSeq: "2", fault: null });
  });

  it("may write a place and nothing else of an entry; web may not even that", async () => {
    await write(1);
    const scope = { worker: "sealer-1", tenantGroupId: group.tenantGroupId };
    const tamper = (what: string) => withTx(db.worker, scope, (tx) => tx.sql.unsafe(`update audit_entries set ${what}`));
    await expect(tamper("act = 'other'")).rejects.toMatchObject({ code: "42501" });
    await expect(withTx(db.worker, scope, (tx) => tx.sql`delete from audit_entries`)).rejects.toMatchObject({ code: "42501" });
    await expect(withTx(db.worker, scope, (tx) => tx.sql`update audit_seals set hash = 'x'`)).rejects.toMatchObject({ code: "42501" });
    await expect(withTx(db.web, group.actor, (tx) => tx.sql`update audit_entries set sealed_seq = 1`)).rejects.toMatchObject({
      code: "42501",
    });
  });
});

describe("the verifier finds", () => {
  beforeEach(async () => {
    await write(9);
    await seal();
  });
  const entryAt = (seq: number) =>
    sql()`(select id from audit_entries where tenant_group_id = ${group.tenantGroupId} and sealed_seq = ${seq})`;

  it("a deleted tail, by a checkpoint that left the database", async () => {
    const kept = await checkpointsNow();
    await sql()`delete from audit_entries where id in ${entryAt(9)}`;
    await sql()`delete from audit_seals where tenant_group_id = ${group.tenantGroupId} and seq = 9`;
    expect(await faultOf()).toBeNull(); // the chain alone does not know how long it was
    expect(await faultOf(kept)).toEqual({ code: "TAIL_CUT", seq: "9" });
  });

  it("a deleted tail whose place was filled again", async () => {
    const kept = await checkpointsNow();
    await sql()`delete from audit_entries where id in ${entryAt(9)}`;
    await sql()`delete from audit_seals where tenant_group_id = ${group.tenantGroupId} and seq = 9`;
    await write(3);
    await seal();
    expect(await faultOf()).toBeNull();
    expect(await faultOf(kept)).toEqual({ code: "CHECKPOINT_DIFFERS", seq: "9" });
  });

  it.each([
    ["act", "act = 'test.other'"],
    ["role at the time", "actor_role = 'ADMIN'"],
    ["reason", "reason = 'typed later'"],
    ["details", `details = '{"n": 100}'`],
    ["instant", "at = at + interval '1 microsecond'"],
    ["place", "sealed_seq = null"],
  ])("another %s in the middle", async (_what, change) => {
    await sql().unsafe(`update audit_entries set ${change} where tenant_group_id = '${group.tenantGroupId}' and sealed_seq = 5`);
    expect(await faultOf()).toEqual({ code: "ENTRY_CHANGED", seq: "5" });
  });

  it("a middle that was rewritten together with its seals, from there to the end", async () => {
    const kept = await checkpointsNow();
    await sql()`update audit_entries set act = 'test.other' where id in ${entryAt(5)}`;
    await rewriteFrom(5);
    expect(await faultOf()).toBeNull(); // who holds the key can write a whole chain
    expect(await faultOf(kept)).toEqual({ code: "CHECKPOINT_DIFFERS", seq: "9" });
  });

  it("two entries that changed places", async () => {
    await sql()`
      update audit_entries set sealed_seq = case sealed_seq when 3 then 4 else 3 end
      where tenant_group_id = ${group.tenantGroupId} and sealed_seq in (3, 4)`;
    expect(await faultOf()).toEqual({ code: "ENTRY_CHANGED", seq: "3" });
  });

  it("two seals that changed places", async () => {
    const [third, fourth] = (await seals()).slice(2, 4);
    await sql()`delete from audit_seals where tenant_group_id = ${group.tenantGroupId} and seq in (3, 4)`;
    for (const [seq, row] of [
      [3, fourth],
      [4, third],
    ] as const)
      await sql()`insert into audit_seals ${sql()({ ...row, seq } as never)}`;
    expect(await faultOf()).toEqual({ code: "LINK_BROKEN", seq: "3" });
  });

  it("an entry, a seal or both taken from the middle, and a seal taken from the end", async () => {
    const [row] = await sql()`delete from audit_entries where id in ${entryAt(4)} returning *`;
    expect(await faultOf()).toEqual({ code: "ENTRY_MISSING", seq: "4" });
    await sql()`insert into audit_entries ${sql()({ ...row, details: JSON.stringify(row?.details) } as never)}`;
    const [gone] = await sql()`delete from audit_seals where tenant_group_id = ${group.tenantGroupId} and seq = 4 returning *`;
    expect(await faultOf()).toEqual({ code: "SEAL_MISSING", seq: "4" });
    await sql()`insert into audit_seals ${sql()(gone as never)}`;
    await sql()`delete from audit_seals where tenant_group_id = ${group.tenantGroupId} and seq = 9`;
    expect(await faultOf()).toEqual({ code: "SEAL_MISSING", seq: "9" });
  });

  it("a checkpoint that nobody signed, and a key that is gone", async () => {
    const [kept] = await checkpointsNow();
    expect(await faultOf([{ ...kept, seq: "8" } as Checkpoint])).toEqual({ code: "CHECKPOINT_FORGED", seq: "8" });
    expect(isSigned(ring, kept as Checkpoint)).toBe(true);
    const other = parseDigestKeys(`k2:${Buffer.from("vutsrqponmlkjihgfedcba9876543210").toString("base64")}`);
    const without = { actor: { worker: "verifier" }, ring: other, checkpoints: [] };
    expect((await verifyChain(db.worker, group.tenantGroupId, without)).fault).toEqual({ code: "KEY_MISSING", seq: "1" });
  });

  it("nothing in a whole chain, whatever its parts, with keys that were rotated", async () => {
    const kept = await checkpointsNow();
    const rotated = { active: "k2", keys: new Map([["k2", Buffer.from("vutsrqponmlkjihgfedcba9876543210")], ...ring.keys]) };
    await write(2);
    await sealOnce(db.worker, { worker: "sealer-1", ring: rotated });
    for (const batch of [1, 3, 100])
      expect(
        await verifyChain(db.worker, group.tenantGroupId, { actor: { worker: "verifier" }, ring: rotated, checkpoints: kept, batch }),
      ).toEqual({ throughSeq: "11", checkpoints: 1, fault: null });
  });

  /** As somebody would who holds the database and the key. */
  async function rewriteFrom(seq: number) {
    const rows = await sql()`
      select e.id, e.tenant_group_id, e.sealed_seq,
        array[e.id::text, e.tenant_group_id::text, e.clinic_id::text, e.actor_kind, e.actor_id, e.actor_ref, e.actor_role, e.act, e.result,
          e.reason_code, e.reason, e.subject_type, e.subject_id::text, e.command_id::text, e.details::text, e.once_key, e.at::text] as parts
      from audit_entries e
      where tenant_group_id = ${group.tenantGroupId} and sealed_seq >= ${seq}
      order by sealed_seq`;
    let prevHash = (await seals())[seq - 2]?.hash as string;
    await sql()`delete from audit_seals where tenant_group_id = ${group.tenantGroupId} and seq >= ${seq}`;
    for (const row of rows) {
      const digest = entryDigest(ring, row as never);
      const one = {
        tenantGroupId: group.tenantGroupId,
        seq: BigInt(row.sealed_seq),
        entryId: row.id,
        entryDigest: digest,
        prevHash,
      };
      const hash = sealHash(ring, one);
      await sql()`
        insert into audit_seals (tenant_group_id, seq, entry_id, entry_digest, prev_hash, hash, version, key_id)
        values (${group.tenantGroupId}, ${row.sealed_seq}, ${row.id}, ${digest}, ${prevHash}, ${hash}, 1, 'k1')`;
      prevHash = hash;
    }
  }
});

describe("checkpoints", () => {
  it("leave for a chain that grew and for no other, and are read back from a file or from a log", async () => {
    await write(1);
    await seal();
    const [first] = await checkpointsNow();
    const known = new Map([[group.tenantGroupId, first?.seq as string]]);
    const grown = async () =>
      (await takeCheckpoints(db.worker, "s", ring, known)).filter((one) => one.tenantGroupId === group.tenantGroupId);
    expect(await grown()).toEqual([]);
    await write(1);
    await seal();
    expect(await grown()).toMatchObject([{ seq: "2" }]);
    const text = [
      JSON.stringify(first),
      "no json",
      JSON.stringify({ level: 30, checkpoint: first }),
      `${JSON.stringify(first).slice(0, 90)}`,
    ];
    expect(readCheckpoints(text.join("\n"))).toEqual([first, first]);
  });
});

describe("a check of the chain", () => {
  const once = () => verifyOnce(db.worker, { worker: "sealer-1", ring, checkpoints: () => [], everySeconds: 3_600 });
  const ask = () => withTx(db.web, group.actor, (tx) => requestVerification(tx, group.actor));
  const broken = async () => (await withTx(db.worker, { worker: "metrics" }, auditBacklog)).brokenChains;
  const results = () => sql()`select * from audit_verifications where tenant_group_id = ${group.tenantGroupId} order by requested_at`;

  it("is done once when asked for, also by two at once, and each asking is an entry", async () => {
    while ((await once()).verified > 0);
    expect([await ask(), await ask()]).toEqual([{ isNew: true }, { isNew: false }]);
    const acts = await sql()`select act, result from audit_entries where tenant_group_id = ${group.tenantGroupId} order by at`;
    expect(acts.map((row) => row.result)).toEqual(["DONE", "NO_CHANGE"]);
    await seal();
    expect(await once()).toEqual({ verified: 1, faults: 0 });
    expect(await once()).toEqual({ verified: 0, faults: 0 });
    expect(await results()).toMatchObject([{ state: "DONE", requested_by: group.actor.ref, fault: null }]);
  });

  it("is due by itself, and a fault is kept with its place and counted", async () => {
    while ((await once()).verified > 0);
    const before = await broken();
    await write(3);
    await seal();
    await sql()`update audit_entries set act = 'x' where tenant_group_id = ${group.tenantGroupId} and sealed_seq = 2`;
    let faults = 0;
    for (let run = await once(); run.verified > 0; run = await once()) faults += run.faults;
    expect(faults).toBe(1);
    expect(await results()).toMatchObject([{ requested_by: "audit-sealer", fault: "ENTRY_CHANGED", fault_seq: "2", through_seq: "1" }]);
    expect(await broken()).toBe(before + 1);
  });
});
