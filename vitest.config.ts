import { defineConfig } from "vitest/config";

const ignored = ["**/node_modules/**", "**/.next/**", "**/.data/**", "**/dist/**", "e2e/**"];

export default defineConfig({
  resolve: { alias: { "@": import.meta.dirname } },
  test: {
    pool: "forks",
    maxWorkers: 2,
    env: { LOG_LEVEL: "silent" }, // lines of the product say nothing about a test
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["**/*.test.{ts,tsx}"],
          exclude: [...ignored, "**/*.db.test.ts", "**/*.kafka.test.ts"],
          testTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: "db",
          include: ["**/*.db.test.ts"],
          exclude: ignored,
          globalSetup: ["db/testing/global-setup.ts"],
          testTimeout: 120_000, // for what hangs; no time decides a test
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: "kafka",
          include: ["**/*.kafka.test.ts"],
          exclude: ignored,
          globalSetup: ["db/testing/global-setup.ts"],
          fileParallelism: false, // one broker, and topics that the files share
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
