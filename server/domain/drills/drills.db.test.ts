import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withRead } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { insertTestScope, type TestScope } from "@/server/domain/inbox/testing";
import { drillEntry, pageDrills } from "./catalog";
import { listLatestRuns } from "./read-runs";
import { removeOldScopes } from "./remove-old-scopes";
import { runDrillOnce } from "./run-drill-once";
import { startDrill } from "./start-drill";
import { callBy, commandDeps, drillDeps, drillPerson } from "./testing";

let db: TestDatabase;
let clinic: TestScope;
beforeAll(async () => {
  db = await createTestDatabase();
  clinic = await insertTestScope(db.superuser);
});
afterAll(() => db.close());

describe.each(pageDrills)("the drill %s", (drill) => {
  it("passes: takes every step of the catalogue and checks all that it names", async () => {
    const staff = await drillPerson(db, clinic);
    await startDrill(commandDeps(db), callBy(staff), drill);
    expect(await runDrillOnce(drillDeps(db))).toEqual({ claimed: 1, ended: "PASSED" });
    const { runs } = await withRead(db.web, staff, (tx) => listLatestRuns(tx, clinic.tenantGroupId));
    const run = runs.find((one) => one.drill === drill);
    expect(run).toMatchObject({ state: "PASSED", reasonCode: null, startedByRef: staff.ref, carriedOut: "AUTOMATED", takes: 1 });
    expect(run?.invariants.filter(({ holds }) => !holds)).toEqual([]);
    expect(run?.invariants.map(({ code }) => code)).toEqual(drillEntry(drill).invariants);
    expect(run?.steps.map(({ code, state }) => `${code} ${state}`)).toEqual(drillEntry(drill).steps.map((code) => `${code} DONE`));
    const audit = await db.superuser.$client`
      select act from audit_entries where tenant_group_id = ${clinic.tenantGroupId} and subject_id = ${run?.id as string} order by at, id`;
    expect(audit.map(({ act }) => act)).toEqual(["drill.started", "drill.ended"]);
  }, 60_000);
});

describe("what drills leave", () => {
  it("is removed a day after the run, with its record kept", async () => {
    const sql = db.superuser.$client;
    const synthetic =
      () => sql`select (select count(*)::int4 from tenant_groups where id >= 'ffffffff-0000-0000-0000-000000000000') as groups,
      (select count(*)::int4 from inbox where tenant_group_id >= 'ffffffff-0000-0000-0000-000000000000') as rows`;
    expect(await synthetic()).toMatchObject([{ groups: pageDrills.length }]);
    expect(await removeOldScopes(db.worker, "drill-runner-a", 50)).toBe(0);
    await sql`update drill_runs set ended_at = ended_at - interval '25 hours'`;
    expect(await removeOldScopes(db.worker, "drill-runner-a", 50)).toBe(pageDrills.length);
    expect(await synthetic()).toEqual([{ groups: 0, rows: 0 }]);
    const left = await sql<{ table: string; n: number }[]>`
      select c.relname as table, (xpath('/row/n/text()', query_to_xml(format('select count(*) as n from %I where tenant_group_id >= %L', c.relname,
        'ffffffff-0000-0000-0000-000000000000'), false, true, '')))[1]::text::int as n
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_group_id'
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`;
    expect(left.filter(({ n }) => n > 0)).toEqual([]);
    expect(await sql`select count(*)::int4 as n from drill_runs where scope_removed_at is not null`).toEqual([{ n: pageDrills.length }]);
  });
});
