import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withRead, withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { type AuditEntry, appendAuditEntry } from "@/server/domain/audit/append-audit-entry";
import { recordView } from "@/server/domain/audit/record-view";
import { sealOnce } from "@/server/domain/audit/seal-once";
import { auditGroup, testRing as ring } from "@/server/domain/audit/testing";
import { auditChain } from "./audit-chain";
import { auditEntry } from "./audit-entry";
import { exportAudit } from "./audit-export";
import { auditActs, countAudit, listAudit } from "./audit-list";
import { auditScope } from "./audit-scope";
import { type AuditCursor, type AuditScope, auditFilter } from "./audit-types";

let db: TestDatabase;
let group: Awaited<ReturnType<typeof auditGroup>>;
let scope: AuditScope;
const subject = "01900000-0000-7000-8000-0000000000aa";
const sql = () => db.superuser.$client;
const write = (entries: AuditEntry[], actor = group.actor) =>
  withTx(db.web, actor, async (tx) => {
    for (const entry of entries) await appendAuditEntry(tx, actor, entry);
  });
const read = <T>(fn: Parameters<typeof withRead<T>>[2], as = group.actor) => withRead<T>(db.web, as, fn);
const list = (filter = {}, within = scope, after: AuditCursor | null = null, limit = 50) =>
  read((tx) => listAudit(tx, within, auditFilter.parse(filter), after, limit, ring));
const acts = async (filter = {}, within = scope) => (await list(filter, within)).rows.map((row) => row.act);

beforeAll(async () => {
  db = await createTestDatabase();
  group = await auditGroup(db, "AUDIT", 2);
  scope = await read((tx) => auditScope(tx, group.scope, undefined));
  const [first, second] = group.clinicIds;
  await write([
    { act: "session.signed-in" },
    { act: "replay.previewed", clinicId: first, subjectType: "inbox", subjectId: subject, role: "APPOINTMENT_REPLAY_OPERATOR" },
    { act: "replay.approved", clinicId: first, subjectType: "inbox", subjectId: subject, result: "REFUSED", reasonCode: "RIGHT_MISSING" },
    { act: "delivery.kept", clinicId: second, result: "NO_CHANGE", reason: '=The clinic, "it" is wrong' },
    { act: "plan.applied", clinicId: second, result: "STALE_REJECTED" },
  ]);
  await sealOnce(db.worker, { worker: "sealer", ring });
  await write([{ act: "appointment.created", clinicId: first, details: { ref: "APT-7F3K00", version: 1 } }]);
});
afterAll(() => db.close());

describe("the audit page", () => {
  it("shows the newest first, with the role at the time, in pages that leave none out and show none twice", async () => {
    const whole = await list();
    expect(whole.rows.map((row) => row.act)).toEqual([
      "appointment.created",
      "plan.applied",
      "delivery.kept",
      "replay.approved",
      "replay.previewed",
      "session.signed-in",
    ]);
    expect(whole.rows.map((row) => [row.seq, row.actorRole])).toEqual([
      [null, "STAFF"],
      ["5", "STAFF"],
      ["4", "STAFF"],
      ["3", "STAFF"],
      ["2", "APPOINTMENT_REPLAY_OPERATOR"],
      ["1", "STAFF"],
    ]);
    const seen: string[] = [];
    let after: AuditCursor | null = null;
    do {
      const page: Awaited<ReturnType<typeof list>> = await list({}, scope, after, 2);
      seen.push(...page.rows.map((row) => row.id));
      after = page.next;
    } while (after);
    expect(seen).toEqual(whole.rows.map((row) => row.id));
  });

  it("keeps its pages together when entries of one instant lie across their edge", async () => {
    const other = await auditGroup(db, "SAME", 1);
    await write(
      Array.from({ length: 7 }, () => ({ act: "test.acted", clinicId: other.clinicIds[0] })),
      other.actor,
    );
    await sql()`update audit_entries set at = '2027-01-01 10:00:00+00' where tenant_group_id = ${other.tenantGroupId}`;
    const within = { ...other.scope, withGroup: true, zone: "UTC" };
    const seen = new Set<string>();
    let after: AuditCursor | null = null;
    let pages = 0;
    do {
      const page = await read((tx) => listAudit(tx, within, auditFilter.parse({}), after, 3, ring), other.actor);
      for (const row of page.rows) seen.add(row.id);
      after = page.next;
      pages += 1;
    } while (after);
    expect([seen.size, pages]).toEqual([7, 3]);
  });

  it.each([
    [{ results: ["REFUSED", "STALE_REJECTED"] }, ["plan.applied", "replay.approved"]],
    [{ acts: ["session.signed-in"] }, ["session.signed-in"]],
    [{ role: "APPOINTMENT_REPLAY_OPERATOR" }, ["replay.previewed"]],
    [{ actorKinds: ["worker"] }, []],
    [{ of: subject }, ["replay.approved", "replay.previewed"]],
    [{ search: "ST-AUDIT", results: ["NO_CHANGE"] }, ["delivery.kept"]],
    [{ search: "st-nobody" }, []],
    [{ search: "replay.approved" }, ["replay.approved"]],
    [{ search: "AU-3" }, ["replay.approved"]],
    [{ search: subject }, ["replay.approved", "replay.previewed"]],
    [{ from: "2026-01-01", until: "2026-01-02" }, []],
  ])("filters by %o and counts as many", async (filter, found) => {
    expect(await acts(filter)).toEqual(found);
    expect(await read((tx) => countAudit(tx, scope, auditFilter.parse(filter)))).toEqual({ count: found.length, isMore: false });
  });

  it("begins and ends days in the zone of the clinic", async () => {
    const other = await auditGroup(db, "DAYS", 1);
    await write([{ act: "test.late", clinicId: other.clinicIds[0] }], other.actor);
    await sql()`update audit_entries set at = '2027-06-30 22:30:00+00' where tenant_group_id = ${other.tenantGroupId}`; // 00:30 of 1 July in Berlin
    const within = await read((tx) => auditScope(tx, other.scope, undefined), other.actor);
    const on = (day: string) =>
      read((tx) => countAudit(tx, within, auditFilter.parse({ from: day, until: day })), other.actor).then((found) => found.count);
    expect([await on("2027-06-30"), await on("2027-07-01")]).toEqual([0, 1]);
  });

  it("of one clinic shows that clinic only, of another tenant group nothing, also where row-level security would let it through", async () => {
    const [first] = group.clinicIds;
    const ofFirst = { ...scope, clinicIds: [first as string], withGroup: false };
    expect(await acts({}, ofFirst)).toEqual(["appointment.created", "replay.approved", "replay.previewed"]);
    const other = await auditGroup(db, "OTHER", 1);
    const foreign = { ...other.scope, withGroup: true, zone: "UTC" };
    const [entry] = (await list()).rows;
    for (const as of [other.actor, { worker: "any" }]) {
      const handle = "worker" in as ? db.worker : db.web;
      expect((await withRead(handle, as, (tx) => listAudit(tx, foreign, auditFilter.parse({}), null, 50, ring))).rows).toEqual([]);
      expect(await withRead(handle, as, (tx) => auditEntry(tx, foreign, entry?.id as string, ring))).toBeNull();
    }
    expect(await read((tx) => auditActs(tx, foreign))).toEqual([]);
    expect(await read((tx) => auditEntry(tx, ofFirst, (entry as { id: string }).id, ring))).not.toBeNull();
  });

  it("offers the acts that there are", async () => {
    expect(await read((tx) => auditActs(tx, scope))).toContain("replay.approved");
  });

  it("reads a page by the index of each clinic, however many entries there are", async () => {
    const plan = await read(async (tx) => {
      await tx.sql`set local enable_seqscan = off`;
      const rows = await tx.sql<{ "QUERY PLAN": string }[]>`
        explain select e.id from unnest(${group.clinicIds}::uuid[]) as clinic (id)
        cross join lateral (
          select id from audit_entries e where e.tenant_group_id = ${group.tenantGroupId} and e.clinic_id = clinic.id
          order by e.at desc, e.id desc limit 51) e`;
      return rows.map((row) => row["QUERY PLAN"]).join("\n");
    });
    expect(plan).toMatch(/Index (Only )?Scan Backward using audit_entries_clinic/);
    expect(plan).not.toContain("Sort");
  });
});

describe("one entry", () => {
  it("has its place between two others, digests that hold, and what belongs to the same subject", async () => {
    const row = (await list({ acts: ["replay.approved"] })).rows[0];
    const entry = await read((tx) => auditEntry(tx, scope, row?.id as string, ring));
    expect(entry).toMatchObject({
      seq: "3",
      place: { before: { seq: "2" }, after: { seq: "4" }, digestHolds: true, linkHolds: true },
      relatedCount: 2,
    });
    expect(entry?.related.map((one) => one.act)).toEqual(["replay.previewed", "replay.approved"]);
    expect(entry?.place?.digest).toBe(row?.digest);
  });

  it("that was changed says so, and one that waits has no place yet", async () => {
    const row = (await list({ acts: ["plan.applied"] })).rows[0];
    await sql()`update audit_entries set actor_ref = 'ST-OTHER' where id = ${row?.id as string}`;
    const changed = await read((tx) => auditEntry(tx, scope, row?.id as string, ring));
    expect(changed?.place).toMatchObject({ digestHolds: false, linkHolds: true });
    await sql()`update audit_entries set actor_ref = ${group.actor.ref} where id = ${row?.id as string}`;
    const waiting = (await list({ acts: ["appointment.created"] })).rows[0];
    expect(waiting).toMatchObject({ subjectRef: "APT-7F3K00", seq: null, digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(await read((tx) => auditEntry(tx, scope, waiting?.id as string, ring))).toMatchObject({ place: null });
    expect(await read((tx) => auditChain(tx, scope))).toMatchObject({
      sealedThrough: "5",
      unsealed: 1,
      isChecking: false,
      lastCheck: null,
    });
    expect((await read((tx) => auditChain(tx, scope))).hours.at(-1)).toBe(5);
  });
});

describe("an export", () => {
  it("holds what the filter finds without what people typed, and is an entry itself", async () => {
    const csv = await exportAudit(
      db.web,
      group.actor,
      group.scope,
      { clinic: undefined, filter: auditFilter.parse({}), format: "csv" },
      ring,
    );
    const lines = csv.text.trimEnd().split("\r\n");
    expect(lines).toHaveLength(1 + csv.entries);
    expect(lines[0]).toMatch(/^at,entry,id,tenantGroup,clinic,actorKind,actor,role,act,result/);
    expect(csv.text).not.toContain("is wrong");
    expect(lines.find((line) => line.includes("delivery.kept"))).toContain(",true,");
    const filter = auditFilter.parse({ results: ["REFUSED"] });
    const json = await exportAudit(db.web, group.actor, group.scope, { clinic: undefined, filter, format: "json" }, ring);
    const { entries } = JSON.parse(json.text) as { entries: Record<string, unknown>[] };
    expect(entries).toMatchObject([{ act: "replay.approved", result: "REFUSED", reasonCode: "RIGHT_MISSING", entry: "3" }]);
    expect(entries[0]?.at).toMatch(/Z$/);
    expect((await list({ acts: ["audit.exported"] })).rows.map((row) => row.details)).toEqual([
      { format: "json", entries: 1, sha256: json.digest },
      { format: "csv", entries: csv.entries, sha256: csv.digest },
    ]);
  });

  it("beyond the bound is refused with the number, and nothing that a spreadsheet would run is in it", async () => {
    const other = await auditGroup(db, "MANY", 1);
    await sql()`
      insert into audit_entries (tenant_group_id, clinic_id, actor_kind, actor_id, actor_ref, act, result)
      select ${other.tenantGroupId}, ${other.clinicIds[0] as string}, 'token', '=cmd', '=cmd()', 'test.acted', 'DONE' from generate_series(1, 10001)`;
    const wanted = { clinic: undefined, filter: auditFilter.parse({}), format: "csv" as const };
    await expect(exportAudit(db.web, other.actor, other.scope, wanted, ring)).rejects.toThrow("at most 10000 entries");
    await sql()`delete from audit_entries where id in (select id from audit_entries where tenant_group_id = ${other.tenantGroupId} limit 9990)`;
    const { text } = await exportAudit(db.web, other.actor, other.scope, wanted, ring);
    expect(text).toContain(",'=cmd(),");
    expect(text).not.toMatch(/[,\n]=cmd/);
  });
});

describe("without its entry nothing happens", () => {
  const broken = async (act: string, work: () => Promise<unknown>) => {
    await sql().unsafe(`alter table audit_entries add constraint no_such_entry check (act <> '${act}') not valid`);
    try {
      await expect(work()).rejects.toThrow();
    } finally {
      await sql()`alter table audit_entries drop constraint no_such_entry`;
    }
  };

  it("no export and no view leaves", async () => {
    const wanted = { clinic: undefined, filter: auditFilter.parse({}), format: "json" as const };
    await broken("audit.exported", () => exportAudit(db.web, group.actor, group.scope, wanted, ring));
    const view = { act: "evidence.viewed", clinicId: null, subjectType: "inbox", subjectId: subject, version: "9" };
    await broken("evidence.viewed", () => recordView(db.web, group.actor, view));
    expect(await acts({ acts: ["evidence.viewed"] })).toEqual([]);
  });
});

describe("a view of evidence", () => {
  it("is an entry once for each person and version of the row, also when two tabs ask at once", async () => {
    const view = { act: "evidence.viewed", clinicId: group.clinicIds[0] as string, subjectType: "inbox", subjectId: subject, version: "1" };
    await Promise.all(Array.from({ length: 6 }, () => recordView(db.web, group.actor, view)));
    await recordView(db.web, group.actor, view);
    await recordView(db.web, group.actor, { ...view, version: "2" });
    await recordView(db.web, { ...group.actor, userId: "01900000-0000-7000-8000-0000000000bb", ref: "ST-COLLEAGUE" }, view);
    const { rows } = await list({ acts: ["evidence.viewed"] });
    expect(rows.map((row) => [row.actorRef, row.details.version, row.actorRole])).toEqual([
      ["ST-COLLEAGUE", "1", "STAFF"],
      [group.actor.ref, "2", "STAFF"],
      [group.actor.ref, "1", "STAFF"],
    ]);
  });
});
