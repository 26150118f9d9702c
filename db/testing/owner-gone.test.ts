import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startPostgres } from "@/db/testing/embedded-postgres";
import { openTempFolder } from "@/db/testing/postgres-binaries";

// The guard of a parent (a child of its own) ends the server within moments of the parent's end; a machine that kills both leaves the server alone.

let base: string;
beforeAll(() => {
  base = mkdtempSync(path.join(openTempFolder(), "owner-gone-test-"));
  chmodSync(base, 0o755);
});
afterAll(() => rmSync(base, { recursive: true, force: true }), 120_000);

const patience = { timeout: 60_000 }; // for what hangs

const commandOf = (pid: number | string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
};
const parentOf = (pid: number | string): number => {
  try {
    return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1]);
  } catch {
    return 0;
  }
};
const ended = (child: ChildProcess) => new Promise((resolve) => child.once("exit", resolve));

test("a server whose parent and guard were both killed is ended by the next start, which says so, and its data are there", async () => {
  const dir = path.join(base, "data");
  const parent = spawn(process.execPath, ["--import", "tsx", path.join(import.meta.dirname, "start-and-wait.ts"), dir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const folder = await new Promise<string>((resolve) => parent.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString().trim())));
  const lock = path.join(folder, "postmaster.pid");
  const server = Number(readFileSync(lock, "utf8").split("\n")[0]);
  const guards = readdirSync("/proc").filter((pid) => parentOf(pid) === parent.pid && commandOf(pid).includes(`sh\0${folder}\0`));
  expect(guards).toHaveLength(1);
  for (const pid of guards) process.kill(Number(pid), "SIGKILL");
  await expect.poll(() => commandOf(guards[0] ?? ""), patience).toBe("");
  const gone = ended(parent);
  parent.kill("SIGKILL");
  await gone;
  expect([existsSync(lock), commandOf(server).includes(folder)]).toEqual([true, true]); // alive, and nobody looks after it

  const said: string[] = [];
  const next = await startPostgres({ dir, durable: true, log: (line) => said.push(line) });
  expect(said).toContain(`ending the PostgreSQL server ${server} that a killed parent left behind`);
  expect(commandOf(server)).not.toContain(folder);
  const sql = postgres(next.superuserUrl, { max: 1 });
  expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  await sql.end();
  await next.stop();
});
