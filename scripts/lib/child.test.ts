import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { HAD_TO_BE_KILLED, startChild } from "@/scripts/lib/child";

const patience = { timeout: 60_000 }; // for what hangs; a busy machine takes its time
let folder: string;
let worker: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "child-test-"));
  worker = path.join(folder, "worker.mjs");
  writeFileSync(
    worker,
    'console.log("pid", process.pid, process.env.WORD);\nprocess.on("SIGTERM", () => process.exit(7));\nsetInterval(() => {}, 1000);\n',
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a child is stopped by SIGTERM and gets only the environment it is given", async () => {
  const lines: string[] = [];
  const child = startChild({ name: "worker", file: worker, env: { WORD: "hello" }, onLine: (line) => lines.push(line) });
  await expect.poll(() => lines[0], patience).toMatch(/^pid \d+ hello$/);
  await child.stop();
  expect(await child.ended).toBe(7);
  expect(child.wasKilled()).toBe(false);
});

test("a child that does not end when asked is killed after the time given, and that is said and kept", async () => {
  const stubborn = path.join(folder, "stubborn.mjs");
  writeFileSync(stubborn, 'process.on("SIGTERM", () => {});\nconsole.log("up");\nsetInterval(() => {}, 1000);\n');
  const child = startChild({ name: "stubborn", file: stubborn, env: {} });
  await expect.poll(() => child.lastLines, patience).toEqual(["up"]);
  const said = vi.spyOn(console, "error").mockImplementation(() => {});
  await child.stop(100);
  expect(await child.ended).toBeNull();
  expect(child.wasKilled()).toBe(true);
  expect(said.mock.calls).toEqual([[`the stubborn (process ${child.pid}) ${HAD_TO_BE_KILLED} after 0.1 s`]]);
  said.mockRestore();
});

test("a child ends when its parent is killed", async () => {
  const parent = path.join(folder, "parent.mjs");
  writeFileSync(
    parent,
    `const { startChild } = await import("${path.join(import.meta.dirname, "child.ts")}");\nstartChild({ name: "w", file: "${worker}", env: {}, onLine: console.log });\n`,
  );
  const tsx = path.resolve(import.meta.dirname, "../../node_modules/tsx/dist/esm/index.mjs");
  const process_ = spawn(process.execPath, ["--import", tsx, parent], {
    stdio: ["ignore", "pipe", "inherit"],
    cwd: path.resolve(import.meta.dirname, "../.."),
  });
  const line = await new Promise<string>((resolve) => process_.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString())));
  const pid = Number(line.split(" ")[1]);
  const alive = () => {
    try {
      process.kill(pid, 0);
      return true;
    } catch {
      return false;
    }
  };
  expect(alive()).toBe(true);
  process_.kill("SIGKILL");
  await expect.poll(alive, patience).toBe(false);
});
