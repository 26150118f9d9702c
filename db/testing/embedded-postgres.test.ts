import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startPostgres } from "@/db/testing/embedded-postgres";
import { openTempFolder, openToOthers } from "@/db/testing/postgres-binaries";
import { endLeftoverPostmaster, inspectDataFolder } from "@/db/testing/postgres-folder";

let base: string;
beforeAll(() => {
  base = mkdtempSync(path.join(openTempFolder(), "embedded-postgres-test-"));
  chmodSync(base, 0o755);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe("the embedded PostgreSQL", () => {
  test("keeps durable data over a restart, with fsync on and UTF-8", async () => {
    const dir = path.join(base, "durable");
    const first = await startPostgres({ dir, durable: true });
    const sql = postgres(first.superuserUrl, { max: 1 });
    await sql`create table kept (word text)`;
    await sql`insert into kept values (${"예약"})`;
    const [settings] = await sql`select current_setting('fsync') as fsync, pg_encoding_to_char(encoding) as encoding
                                 from pg_database where datname = current_database()`;
    expect(settings).toEqual({ fsync: "on", encoding: "UTF8" });
    await sql.end();
    await first.stop();
    const second = await startPostgres({ dir, durable: true });
    const again = postgres(second.superuserUrl, { max: 1 });
    expect(await again`select word from kept`).toEqual([{ word: "예약" }]);
    await again.end();
    await second.stop();
    await expect(startPostgres({ dir, durable: true, freeBytes: 1e18 })).rejects.toThrow(/too little disk/);
  });

  test("removes throw-away data when it stops", async () => {
    const server = await startPostgres({ dir: path.join(base, "throw-away"), durable: false });
    expect(existsSync(server.dir)).toBe(true);
    await server.stop();
    expect(existsSync(server.dir)).toBe(false);
  });

  test("says which port is busy", async () => {
    const server = await startPostgres({ dir: path.join(base, "one"), durable: false });
    await expect(startPostgres({ dir: path.join(base, "two"), durable: false, port: server.port })).rejects.toThrow(`port ${server.port}`);
    await server.stop();
  });

  test("says that the disk has too little room, before it writes", async () => {
    const dir = path.join(base, "full");
    await expect(startPostgres({ dir, durable: true, freeBytes: 1e18 })).rejects.toThrow(/too little disk: .* MB free/);
    expect(existsSync(dir)).toBe(false);
  });

  const parentOf = async (dir: string, ...words: string[]) => {
    const parent = spawn(process.execPath, ["--import", "tsx", path.join(import.meta.dirname, "start-and-wait.ts"), dir, ...words], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const folder = await new Promise<string>((resolve) => parent.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString().trim())));
    return { parent, folder };
  };

  test("stops by itself when its parent is killed, and starts again", async () => {
    const dir = path.join(base, "orphan");
    const { parent, folder } = await parentOf(dir);
    const lock = path.join(folder, "postmaster.pid");
    expect(existsSync(lock)).toBe(true);
    await expect(endLeftoverPostmaster(folder, () => {})).rejects.toThrow(`in use by process ${parent.pid}`);
    parent.kill("SIGKILL");
    await expect.poll(() => existsSync(lock), { timeout: 10_000 }).toBe(false);
    const next = await startPostgres({ dir, durable: true });
    await next.stop();
  });

  test("leaves nothing of throw-away data behind when its parent is killed", async () => {
    const { parent, folder } = await parentOf(path.join(base, "thrown", "data"), "throw-away");
    expect(existsSync(folder)).toBe(true);
    parent.kill("SIGKILL");
    await expect.poll(() => existsSync(path.join(base, "thrown")), { timeout: 15_000 }).toBe(false);
  });
});

describe("a data folder", () => {
  const inspect = (name: string, files: Record<string, string>) => {
    const folder = path.join(base, name);
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), text);
    }
    return { folder, run: () => inspectDataFolder(folder, "18.4.0", () => {}) };
  };
  const marker = { "appointment-operations.json": JSON.stringify({ superuserPassword: "x", version: "18.4.0" }) };

  test("that an interrupted first start left is made anew", () => {
    const half = inspect("half", { PG_VERSION: "18\n", "pg_wal/000001": "", "base/1/1": "" });
    expect(half.run()).toBeUndefined();
    expect(existsSync(half.folder)).toBe(false);
  });
  test("of somebody else's cluster is left alone", () => {
    const foreign = inspect("foreign", { PG_VERSION: "18\n", "postmaster.opts": "", "base/1/1": "" });
    expect(foreign.run).toThrow(/did not make/);
    expect(existsSync(foreign.folder)).toBe(true);
  });
  test("that holds other files is left alone", () => {
    expect(inspect("letters", { "letter.txt": "dear" }).run).toThrow(/other files \(letter.txt\)/);
  });
  test("that lost PG_VERSION is named as damaged, not made anew", () => {
    expect(inspect("damaged", { ...marker, "base/1/1": "" }).run).toThrow(/damaged/);
  });
  test("of another major version is refused", () => {
    expect(inspect("old", { ...marker, PG_VERSION: "17\n", "global/pg_control": "" }).run).toThrow(/made by PostgreSQL 17, this is 18/);
  });
  test("under a folder that others cannot enter counts as closed", () => {
    const closed = path.join(base, "closed");
    mkdirSync(closed, { mode: 0o700 });
    expect(openToOthers(path.join(closed, "data"))).toBe(false);
    expect(openToOthers(path.join(base, "data"))).toBe(true);
  });
});
