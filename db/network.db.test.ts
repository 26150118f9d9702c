import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { closeDb, type Db, openDb, withRead, withTx } from "./client";
import { type FaultyProxy, startFaultyProxy } from "./testing/faulty-proxy";

let database: TestDatabase;
let proxy: FaultyProxy;
const pools: Db[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  await database.superuser.$client.unsafe("create table parts (part text); grant all on parts to aops_web");
  proxy = await startFaultyProxy({ host: "127.0.0.1", port: Number(new URL(database.urls.web).port) });
});
afterEach(async () => {
  proxy.be("pass");
  proxy.reset();
  await Promise.all(pools.splice(0).map((db) => closeDb(db, 0)));
});
afterAll(async () => {
  proxy.close();
  await database.close();
});

const actor = { worker: "network-test" };
function openThroughProxy(max = 1): Db {
  const url = new URL(database.urls.web);
  url.port = String(proxy.port);
  const db = openDb(url.href, { max });
  pools.push(db);
  return db;
}
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (error: { code: string }) => error.code,
  );
const rows = async (part: string) => (await database.superuser.$client`select 1 from parts where part = ${part}`).length;

describe("a network that goes wrong", () => {
  it("silent under a transaction: it ends at its own deadline, nothing of it stays, and so does one that waits for its connection", async () => {
    const db = openThroughProxy();
    const silenced = withTx(
      db,
      actor,
      async (tx) => {
        await tx.sql`insert into parts values ('silenced')`;
        proxy.be("silent");
        await tx.sql`insert into parts values ('silenced')`;
      },
      { deadlineMs: 1_500 },
    );
    const behind = withRead(db, actor, (tx) => tx.sql`select 1`, { deadlineMs: 2_500 });
    expect(await Promise.all([codeOf(silenced), codeOf(behind)])).toEqual(["DEADLINE", "DEADLINE"]);
    proxy.be("pass");
    proxy.reset();
    expect(await codeOf(withTx(db, actor, (tx) => tx.sql`insert into parts values ('afterwards')`))).toBe("done");
    expect([await rows("silenced"), await rows("afterwards")]).toEqual([0, 1]);
  });

  it("silent from the first byte: a connection is not waited for without end", async () => {
    proxy.be("silent");
    const refused = withRead(openThroughProxy(), actor, (tx) => tx.sql`select 1`, { deadlineMs: 60_000 });
    expect(await codeOf(refused)).toBe("CONNECTION_LOST");
  });

  it("reset under a transaction: it was rolled back, and the next one has a new connection", async () => {
    const db = openThroughProxy();
    const cut = withTx(db, actor, async (tx) => {
      await tx.sql`insert into parts values ('cut')`;
      proxy.reset();
      await tx.sql`insert into parts values ('cut')`;
    });
    expect(await codeOf(cut)).toBe("CONNECTION_LOST");
    expect(await codeOf(withTx(db, actor, (tx) => tx.sql`insert into parts values ('next')`))).toBe("done");
    expect([await rows("cut"), await rows("next")]).toEqual([0, 1]);
  });

  it("slow: everything is whole, only later", async () => {
    proxy.be("slow");
    const db = openThroughProxy();
    await withTx(db, actor, async (tx) => {
      for (const half of [1, 2]) await tx.sql`insert into parts values (${`slow ${half}`})`;
    });
    expect([await rows("slow 1"), await rows("slow 2")]).toEqual([1, 1]);
  });
});
