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

const right = { missingTasks: 0, strayTasks: 0, wrongGroups: 0 };
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
    expect(await checkCounters(db.migrator)).toEqual({ missingTasks: 1, strayTasks: 1, wrongGroups: 1 });
    await recountGroups(db.migrator);
    expect(await checkCounters(db.migrator)).toEqual(right);
    expect(await groups()).toEqual([{ reason_code: "EXPIRED", open: 1, kept: 0 }, ...before.slice(1)]);
  });
});
