import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { insertTestScope, type TestScope } from "@/server/domain/inbox/testing";
import { keepQuarantined } from "./keep-quarantined";
import { checkCounters, recountGroups } from "./recount-groups";
import { callOn, insertInboxRow, insertPerson, testDeps } from "./testing";

let db: TestDatabase;
let scope: TestScope;
beforeAll(async () => {
  db = await createTestDatabase();
  scope = await insertTestScope(db.superuser);
});
afterAll(() => db.close());

const right = { missingTasks: 0, strayTasks: 0, wrongTasks: 0, wrongGroups: 0 };
const groups = async () =>
  (await db.superuser.$client`select reason_code, open, kept from delivery_groups order by reason_code`).map((row) => ({ ...row }));

describe("the counters of the reason groups", () => {
  it("say what the rows say, whatever moved them, and a recount finds and mends what somebody changed behind their back", async () => {
    const sql = db.superuser.$client;
    const staff = await insertPerson(db.superuser, scope, "STAFF");
    const ids: string[] = [];
    for (const reason of ["GAP", "GAP", "GAP", "MISMATCH", "EXPIRED"]) ids.push(await insertInboxRow(db.superuser, scope, { reason }));
    const call = await callOn(db.web, staff, scope, `inbox.${ids[0]}`);
    await keepQuarantined(testDeps(db.web), call, "Known since noon.");
    await sql`update inbox set reason_code = 'EXPIRED', version = version + 1 where id = ${ids[1] as string}`;
    await sql`delete from inbox where id = ${ids[3] as string}`;
    const before = [
      { reason_code: "EXPIRED", open: 2, kept: 0 },
      { reason_code: "GAP", open: 1, kept: 1 },
      { reason_code: "MISMATCH", open: 0, kept: 0 },
    ];
    expect(await groups()).toEqual(before);
    expect(await checkCounters(db.migrator)).toEqual(right);

    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`; // no trigger sees this
      await tx`delete from delivery_tasks where row_id = ${ids[2] as string}`;
      await tx`update inbox set state = 'PROCESSED', quarantined_at = null, reason_code = null, processed_at = now(), effect = 'APPLIED' where id = ${ids[4] as string}`;
      await tx`update delivery_groups set open = 40 where reason_code = 'GAP'`;
    });
    expect(await checkCounters(db.migrator)).toEqual({ missingTasks: 1, strayTasks: 1, wrongTasks: 0, wrongGroups: 1 });
    await recountGroups(db.migrator, "tester");
    expect(await checkCounters(db.migrator)).toEqual(right);
    expect(await groups()).toEqual([{ reason_code: "EXPIRED", open: 1, kept: 0 }, ...before.slice(1)]);
  });

  it("a group that was deleted, a count that is too low and a task of another reason or consumer are found and mended, and audited", async () => {
    const sql = db.superuser.$client;
    const place = await insertTestScope(db.superuser);
    const ids: string[] = [];
    for (const reason of ["A", "A", "B", "C", "D"]) ids.push(await insertInboxRow(db.superuser, place, { reason }));
    const counted = async () =>
      (
        await sql`select consumer, reason_code, open from delivery_groups where clinic_id = ${place.clinicId} and open > 0 order by 1, 2`
      ).map((row) => ({
        ...row,
      }));
    const before = await counted();
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`; // no trigger sees this
      await tx`delete from delivery_groups where clinic_id = ${place.clinicId} and reason_code = 'A'`;
      await tx`update delivery_groups set open = 0 where clinic_id = ${place.clinicId} and reason_code = 'B'`;
      await tx`update delivery_tasks set reason_code = 'Z' where row_id = ${ids[3] as string}`;
      await tx`update delivery_tasks set consumer = 'another-v1' where row_id = ${ids[4] as string}`;
      await tx`update inbox set state = 'PROCESSED', quarantined_at = null, reason_code = null, processed_at = now(), effect = 'APPLIED' where id = ${ids[2] as string}`;
    });
    // groups: A is gone, B is too low, C counts a task of Z, Z is not there, D counts one of another consumer, whose group is not there
    const found = { missingTasks: 0, strayTasks: 1, wrongTasks: 2, wrongGroups: 6 };
    expect(await checkCounters(db.migrator)).toEqual(found);
    expect(await recountGroups(db.migrator, "tester")).toEqual(found);
    expect(await checkCounters(db.migrator)).toEqual(right);
    expect(await counted()).toEqual(before.filter((group) => (group as { reason_code?: string }).reason_code !== "B"));
    const entries = await sql`
      select actor_kind, actor_ref, details from audit_entries where tenant_group_id = ${place.tenantGroupId} and act = 'delivery.recounted'`;
    expect(entries.map((entry) => ({ ...entry }))).toEqual([{ actor_kind: "command-line", actor_ref: "tester", details: found }]);
    await recountGroups(db.migrator, "tester"); // nothing was wrong: nothing to tell
    expect(
      await sql`select 1 from audit_entries where act = 'delivery.recounted' and tenant_group_id = ${place.tenantGroupId}`,
    ).toHaveLength(1);
  });
});
