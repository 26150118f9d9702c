// How scripts/test-guards.ts runs a killing test: on the server that it has started, with one guard taken out of what is loaded.
import path from "node:path";
import { defineConfig } from "vitest/config";
import { guards } from "./guards";
import { withoutGuard } from "./without-guard";

const root = path.resolve(import.meta.dirname, "../..");
const guard = guards.find(({ name }) => name === process.env.GUARD);

export default defineConfig({
  root,
  resolve: { alias: { "@": root } },
  plugins: guard ? [withoutGuard(guard, root)] : [],
  test: {
    pool: "forks",
    maxWorkers: 2,
    include: ["**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/.next/**", "**/.data/**", "e2e/**"],
    globalSetup: ["scripts/guards/given-postgres.ts"],
    testTimeout: 120_000, // for what hangs; no time decides a test
    hookTimeout: 120_000,
    slowTestThreshold: 60_000,
  },
});
