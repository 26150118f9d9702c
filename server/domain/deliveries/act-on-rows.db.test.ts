import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { insertTestScope, type TestScope } from "@/server/domain/inbox/testing";
import type { PersonActor } from "@/server/domain/scope/actor";
import { newUuid } from "@/server/ids";
import { actOnRows, bulkRows, bulkRowsMax } from "./act-on-rows";
import { callOn, insertInboxRow, insertPerson, testDeps } from "./testing";
import type { SeenRow } from "./types";

let db: TestDatabase;
let scope: TestScope;
let staff: PersonActor;
beforeAll(async () => {
  db = await createTestDatabase();
  scope = await insertTestScope(db.superuser);
  staff = await insertPerson(db.superuser, scope, "STAFF");
});
afterAll(() => db.close());

const seen = async (state?: "QUARANTINED" | "PROCESSED"): Promise<SeenRow> =>
  (await callOn(db.web, staff, scope, `inbox.${await insertInboxRow(db.superuser, scope, state ? { state } : {})}`)).row;
const call = () => ({ actor: staff, clinicId: scope.clinicId, key: newUuid(), requestId: newUuid(), method: "MUTATION", body: {} });
const keep = { act: "keepQuarantined", reason: "Known since noon." } as const;
const kept = async (rows: SeenRow[]) => {
  const ids = rows.map(({ id }) => id.slice(6));
  const [row] = await db.superuser
    .$client`select count(*)::int as n from delivery_tasks where row_id = any (${ids}::uuid[]) and status = 'KEPT'`;
  return row?.n;
};

describe("an act on selected rows", () => {
  it("answers for each row by itself: one that changed, is settled or is gone holds up no other", async () => {
    const rows = [await seen(), await seen(), await seen("PROCESSED"), await seen()];
    await db.superuser.$client`update inbox set version = version + 1 where id = ${(rows[1] as SeenRow).id.slice(6)}`;
    const gone = { ...(rows[0] as SeenRow), id: `inbox.${newUuid()}` };
    const results = await actOnRows(testDeps(db.web), call(), [...rows, gone], keep);
    expect(results.map(({ id }) => id)).toEqual([...rows, gone].map(({ id }) => id));
    expect(results.map(({ status, body }) => body.code ?? status)).toEqual([200, "row-stale", "action-not-allowed", 200, "not-found"]);
    expect(await kept(rows)).toBe(2);
  });

  it("sent again goes on where the first one ended, and does nothing twice", async () => {
    const rows = [await seen(), await seen(), await seen()];
    const sent = call();
    await actOnRows(testDeps(db.web), sent, rows.slice(0, 2), keep); // its answer was lost, and the third row with it
    const results = await actOnRows(testDeps(db.web), sent, rows, keep);
    expect(results.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await kept(rows)).toBe(3);
    const notes = await db.superuser.$client`
      select row_id from delivery_notes where row_id = any (${rows.map(({ id }) => id.slice(6))}::uuid[])`;
    expect(notes).toHaveLength(3);
  });

  it("is bounded", async () => {
    const one = await seen();
    expect(bulkRows.safeParse(Array(bulkRowsMax).fill(one)).success).toBe(true);
    expect(bulkRows.safeParse(Array(bulkRowsMax + 1).fill(one)).success).toBe(false);
    expect(bulkRows.safeParse([]).success).toBe(false);
  });
});
