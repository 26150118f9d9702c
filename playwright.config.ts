import { defineConfig } from "@playwright/test";

/** Each worker of Playwright has a world of its own: a database, a web app and the background work (scripts/serve-e2e.ts). */
const worlds = [0, 1];
const firstPort = Number(process.env.E2E_PORT ?? 34_871);
const originOf = (world: number) => `http://127.0.0.1:${firstPort + world}`;

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  // the tests of a world share one server and one database: they run one after another
  fullyParallel: false,
  workers: worlds.length,
  retries: 0,
  // for what hangs; no time decides a test
  timeout: 240_000,
  expect: {
    timeout: 40_000,
    // another build of the browser draws the edges of letters a little differently; a moved or lost part differs by far more
    toHaveScreenshot: { maxDiffPixelRatio: 0.02, animations: "disabled", caret: "hide", scale: "css" },
  },
  snapshotPathTemplate: "{testDir}/pictures/{arg}{ext}",
  updateSnapshots: "none",
  forbidOnly: Boolean(process.env.CI),
  reporter: process.env.E2E_REPORT ? [["list"], ["json", { outputFile: process.env.E2E_REPORT }]] : [["list"]],
  use: {
    // every test file is loaded by the worker that runs it
    baseURL: originOf(Number(process.env.TEST_PARALLEL_INDEX ?? 0)),
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
    // a trace keeps the page at every step, which takes as long as the steps themselves: E2E_TRACE=1 when a failure has to be looked into
    trace: process.env.E2E_TRACE ? "retain-on-failure" : "off",
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: process.env.CHROMIUM_PATH || undefined,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-dev-shm-usage",
        // letters drawn alike on every machine
        "--font-render-hinting=none",
        "--disable-lcd-text",
        "--force-color-profile=srgb",
      ],
    },
  },
  webServer: worlds.map((world) => ({
    command: "node_modules/.bin/tsx scripts/serve-e2e.ts",
    url: `${originOf(world)}/api/health/ready`,
    reuseExistingServer: false,
    timeout: 120_000,
    gracefulShutdown: { signal: "SIGTERM" as const, timeout: 10_000 },
    stdout: "pipe" as const,
    stderr: "pipe" as const,
    env: { E2E_ORIGIN: originOf(world), E2E_WORLD: String(world) },
  })),
});
