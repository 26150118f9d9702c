import { spawn } from "node:child_process";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

/** A process that starts as the web app does, and then runs `then`. */
async function startAndRun(then: string, env: Record<string, string> = {}): Promise<{ code: number | null; output: string }> {
  const startWeb = path.join(import.meta.dirname, "start-web.ts");
  const code = `import { startWeb } from ${JSON.stringify(startWeb)}; setInterval(() => {}, 1000); await startWeb(); ${then}`;
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", code], {
    cwd: path.join(import.meta.dirname, "../.."),
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      DATABASE_URL: database.urls.web,
      AUTH_SECRET: Buffer.from("0123456789abcdefghijklmnopqrstuvwxyz").toString("base64"),
      AUTH_URL: "http://127.0.0.1:3000",
      DIGEST_KEYS: `k1:${Buffer.from(Array.from({ length: 32 }, (_, i) => i * 5)).toString("base64")}`,
      LOG_LEVEL: "info",
      ...env,
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  return { code: await new Promise((resolve) => child.once("close", resolve)), output };
}

describe("the web process", () => {
  it.each(["throw new Error('planted')", "Promise.reject(new Error('planted'))"])(
    "ends after a fault that nobody caught, so that a fresh one can start: %s",
    async (fault) => {
      const { code, output } = await startAndRun(`setTimeout(() => { ${fault} }, 0)`);
      expect(output).toMatch(/"level":"fatal".*(uncaught exception|unhandled rejection)/);
      expect(code).toBe(1);
    },
  );

  it("lives on when a reader left in the middle of a page", async () => {
    const left = "Promise.reject(Object.assign(new Error('gone'), { name: 'ResponseAborted' }))";
    const { code, output } = await startAndRun(`${left}; setTimeout(() => process.kill(process.pid, "SIGTERM"), 50)`);
    expect([code, output.includes("fatal")]).toEqual([0, false]);
  });

  it("says in words why it cannot start", async () => {
    const { code, output } = await startAndRun("", { DIGEST_KEYS: "" });
    expect(output).toContain("DIGEST_KEYS: is not set");
    expect(code).toBe(1);
  });
});
