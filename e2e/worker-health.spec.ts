import { e2eWorld } from "@/db/testing/e2e-world";
import { inTheme, signedInAs } from "./preconditions/signed-in";
import { expectNoAxeViolation } from "./questions/accessibility";
import { expect, test } from "./support/test";

const visibleWithinMs = 15_000;
const allRun = /^All \d+ workers run/;
const signal = (name: NodeJS.Signals) => process.kill(e2eWorld().workersPid as number, name);

test.beforeEach(async ({ page }) => {
  await signedInAs(page, "staff");
  await page.goto("/operations/delivery");
});

test("workers that run, and what waits for them, stand in one line; the details name each with its last heartbeat", async ({ page }) => {
  const workers = page.getByRole("region", { name: "Workers" });
  await expect(workers.getByText(allRun)).toBeVisible();
  await expect(workers).toContainText(/Consumers \d+ behind/);
  await workers.getByRole("button", { name: "Details" }).click();
  const table = workers.getByRole("table");
  await expect(table.getByRole("row")).toHaveCount(1 + Number(/\d+/.exec((await workers.getByText(allRun).textContent()) ?? "")?.[0]));
  await expect(table.getByRole("row", { name: /^Relay/ })).toContainText(/Runs.*\d\d:\d\d:\d\d .* ago/);
  await expect(table.getByRole("row", { name: /^Consumers/ })).toContainText("daily-load-v1");
});

test("a relay that stands still is said to be silent within 15 s, and never as an empty backlog", async ({ page }) => {
  const workers = page.getByRole("region", { name: "Workers" });
  await expect(workers.getByText(allRun)).toBeVisible();
  signal("SIGSTOP");
  try {
    await expect(workers.getByText(/^Relay silent since \d\d:\d\d:\d\d/)).toBeVisible({ timeout: visibleWithinMs });
    await expect(workers).not.toContainText("Nothing to publish");
    for (const theme of ["light", "dark"] as const) {
      await inTheme(page, theme);
      await page.reload();
      await expect(workers.getByText(/^Relay silent since/)).toBeVisible();
      await expectNoAxeViolation(page);
    }
  } finally {
    signal("SIGCONT");
  }
  await expect(workers.getByText(allRun)).toBeVisible();
});

test("health that cannot be read is not health", async ({ page }) => {
  await page.route("**/api/trpc/*workers.health*", (route) => route.abort("connectionfailed"));
  await page.goto("/operations/delivery");
  await expect(page.getByText("Worker health could not be read. Whether they run is not known.")).toBeVisible();
});
