import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withRead, withSavepoint, withTx } from "./client";
import { createTestDatabase, type TestDatabase } from "./testing/test-database";
import { isDatabaseOutage, sqlstate, TxError } from "./tx-error";

let db: TestDatabase;
const tenant = "01900000-0000-7000-8000-000000000001";
const other = "01900000-0000-7000-8000-000000000002";
const actor = { tenantGroupId: tenant };

beforeAll(async () => {
  db = await createTestDatabase();
  await db.migrator.$client`insert into tenant_groups (id, ref, name) values (${tenant}, 'TG-A00000', 'A'), (${other}, 'TG-B00000', 'B')`;
});
afterAll(() => db.close());

const names = async () => (await db.superuser.$client`select name from tenant_groups order by ref`).map((row) => row.name);

describe("the transaction door", () => {
  it("commits what fn did, and sees one tenant only", async () => {
    const seen = await withTx(db.web, actor, async (tx) => {
      await tx.sql`update tenant_groups set name = 'A1'`;
      return tx.sql`select ref from tenant_groups`;
    });
    expect(seen.map((row) => row.ref)).toEqual(["TG-A00000"]);
    expect(await names()).toEqual(["A1", "B"]);
  });

  it("outside of it no tenant row is seen or written", async () => {
    expect(await db.web.$client`select * from tenant_groups`).toHaveLength(0);
    await expect(db.web.$client`insert into tenant_groups (ref, name) values ('TG-C00000', 'C')`).rejects.toMatchObject({ code: "42501" });
    expect((await db.web.$client`update tenant_groups set name = 'X'`).count).toBe(0);
  });

  it("an empty setting is no tenant, and a malformed one is an error", async () => {
    expect(await withTx(db.web, { tenantGroupId: "" }, (tx) => tx.sql`select 1 from tenant_groups`)).toHaveLength(0);
    await expect(withTx(db.web, { tenantGroupId: "no-uuid" }, (tx) => tx.sql`select 1 from tenant_groups`)).rejects.toThrow();
    await expect(withTx(db.web, { tenantGroupId: "a'b" }, (tx) => tx.sql`select 1`)).rejects.toMatchObject({ code: "BAD_SETTING" });
  });

  it("rolls back when fn throws", async () => {
    const work = withTx(db.web, actor, async (tx) => {
      await tx.sql`update tenant_groups set name = 'A2'`;
      throw new Error("no");
    });
    await expect(work).rejects.toThrow("no");
    expect((await names())[0]).toBe("A1");
  });

  it("refuses a nested transaction, a late statement and one nobody awaited", async () => {
    const before = await names();
    await expect(withTx(db.web, actor, () => withTx(db.web, actor, async () => {}))).rejects.toMatchObject({ code: "NESTED" });
    let late!: () => PromiseLike<unknown>;
    await withTx(db.web, actor, async (tx) => {
      late = () => tx.sql`update tenant_groups set name = 'late'`;
    });
    await expect(late()).rejects.toMatchObject({ code: "LATE_STATEMENT" });
    const unawaited = withTx(db.web, actor, async (tx) => {
      tx.sql`select pg_sleep(0.2)`.execute().catch(() => {});
    });
    await expect(unawaited).rejects.toMatchObject({ code: "UNAWAITED_STATEMENT" });
    expect(await names()).toEqual(before);
  });

  it("a savepoint undoes its own work only", async () => {
    await withTx(db.web, actor, async (tx) => {
      await tx.sql`update tenant_groups set name = 'outer'`;
      await withSavepoint(tx, async (sp) => {
        await sp.sql`update tenant_groups set name = 'inner'`;
        throw new Error("refused");
      }).catch(() => {});
    });
    expect((await names())[0]).toBe("outer");
  });

  it("a reader cannot write", async () => {
    const write = withRead(db.web, actor, (tx) => tx.sql`update tenant_groups set name = 'X'`);
    expect(sqlstate(await write.catch((error) => error))).toBe("25006");
  });

  it("runs fn again on a serialization failure, from the start", async () => {
    let runs = 0;
    await withTx(
      db.web,
      actor,
      async (tx) => {
        runs += 1;
        await tx.sql`select name from tenant_groups`;
        if (runs === 1) await withOther(() => db.superuser.$client`update tenant_groups set name = 'rival' where id = ${tenant}`);
        await tx.sql`update tenant_groups set name = name || '!'`;
      },
      { isolation: "repeatable read" },
    );
    expect(runs).toBe(2);
    expect((await names())[0]).toBe("rival!");
  });

  it("ends at its deadline and gives the connection back", async () => {
    const slow = withTx(db.web, actor, (tx) => tx.sql`select pg_sleep(5)`, { deadlineMs: 100 });
    expect(await slow.catch((error) => error)).toSatisfy((error: unknown) => error instanceof TxError && error.code === "DEADLINE");
    expect(await withTx(db.web, actor, (tx) => tx.sql`select 1 as one`)).toHaveLength(1);
  });

  it("ends when something else than the database is waited for inside, and nothing of it stays", async () => {
    const before = await names();
    const waiting = withTx(
      db.web,
      actor,
      async (tx) => {
        await tx.sql`update tenant_groups set name = 'waited'`;
        await new Promise((resolve) => setTimeout(resolve, 400)); // a call to somebody else
        await tx.sql`update tenant_groups set name = 'after'`;
      },
      { idleTimeoutMs: 100 },
    );
    expect(await waiting.catch((error) => error)).toMatchObject({ code: "CONNECTION_LOST" });
    expect(await names()).toEqual(before);
    expect(await withTx(db.web, actor, (tx) => tx.sql`select 1 as one`)).toHaveLength(1);
  });

  it("a lock that is waited for too long and a statement that takes too long are outages", async () => {
    let locked!: () => void;
    let release!: () => void;
    const isLocked = new Promise<void>((resolve) => {
      locked = resolve;
    });
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const holder = db.superuser.$client.begin(async (sql) => {
      await sql`select from tenant_groups for update`;
      locked();
      await released;
    });
    await isLocked;
    const waiting = withTx(db.web, actor, (tx) => tx.sql`update tenant_groups set name = 'x'`, { lockTimeoutMs: 50 });
    const error = await waiting.catch((refusal) => refusal);
    release();
    await holder;
    expect([sqlstate(error), isDatabaseOutage(error)]).toEqual(["55P03", true]);
    const slow = withTx(db.web, actor, async (tx) => {
      await tx.sql`set local statement_timeout = 50`;
      await tx.sql`select pg_sleep(2)`;
    });
    const tooSlow = await slow.catch((refusal) => refusal);
    expect([sqlstate(tooSlow), isDatabaseOutage(tooSlow)]).toEqual(["57014", true]);
  });

  it("carries arrays, json and instants without loss", async () => {
    const [row] = await withTx(
      db.web,
      actor,
      (tx) =>
        tx.sql`select ${["a,b", 'c"d', "{e}"]}::text[] as texts, ${[tenant, other]}::uuid[] as ids, ${JSON.stringify({ a: 1 })}::jsonb as json, '2026-01-02 03:04:05.123456Z'::timestamptz as at`,
    );
    expect(row).toEqual({ texts: ["a,b", 'c"d', "{e}"], ids: [tenant, other], json: { a: 1 }, at: "2026-01-02 03:04:05.123456+00" });
  });
});

/** Another connection's work inside a callback, on purpose: the rule against it is what this test breaks the database's patience with. */
const withOther = (fn: () => PromiseLike<unknown>) => Promise.resolve(fn());
