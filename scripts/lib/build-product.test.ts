import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { bundleWorkers } from "@/scripts/lib/build-product";
import { ROOT } from "@/scripts/lib/run";
import { newControl } from "@/server/domain/planning/solver/solve-in-thread";
import type { ThreadTask } from "@/server/domain/planning/solver/solver-thread";
import { generate, specOf } from "@/server/domain/planning/solver/testing/generate";
import { toProblem } from "@/server/domain/planning/solver/testing/instance";

test("the workers' bundle loads without a loader for TypeScript, and asks for its configuration", async () => {
  const bundle = path.join(ROOT, "dist", `workers-test-${process.pid}.mjs`);
  try {
    await bundleWorkers(bundle);
    const started = spawnSync(process.execPath, [bundle], { encoding: "utf8", env: { PATH: process.env.PATH, NODE_ENV: "production" } });
    // an import that only a bundler resolves (a folder, a missing extension) would end it before this message
    expect(started.stderr + started.stdout).toContain("WORKER_DATABASE_URL");
    expect(started.status).not.toBe(0);
  } finally {
    rmSync(bundle, { force: true });
    rmSync(`${bundle}.map`, { force: true });
  }
});

test("the bundle of the solver's thread solves, HiGHS included, without a loader for TypeScript", async () => {
  const bundle = path.join(ROOT, "dist", `solver-test-${process.pid}.mjs`);
  try {
    await bundleWorkers(bundle);
    const effort = { searchRounds: 2000, boundRounds: 600, lpIterations: 100_000, kernelColumnsMax: 30_000 };
    const problem = toProblem(generate(specOf("R", 100, 1)));
    const workerData: ThreadTask = { problem, options: { seed: 1, effort, timeLimitMs: 600_000 }, control: newControl() };
    const thread = new Worker(path.join(ROOT, "dist/solver-thread.mjs"), { workerData, execArgv: [] });
    const told = await new Promise<{ kind: string }>((resolve, reject) => {
      thread.on("error", reject);
      thread.on("message", (message) => message.kind !== "PROGRESS" && resolve(message));
    });
    await thread.terminate();
    expect(told).toMatchObject({ kind: "SOLUTION", solution: { proven: true, provenBy: "HIGHS", cost: 12_095 } });
  } finally {
    rmSync(bundle, { force: true });
    rmSync(`${bundle}.map`, { force: true });
  }
});
