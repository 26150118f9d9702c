import type { Page } from "@playwright/test";
import { closeDb, openDb, withRead } from "@/db/client";
import { e2eWorld } from "@/db/testing/e2e-world";
import { writeRows } from "./preconditions/a-command";
import { signedInAs, speaking } from "./preconditions/signed-in";
import { expectNoAxeViolation, expectNoAxeViolationInEitherTheme } from "./questions/accessibility";
import { expectFitsEachWidth } from "./questions/layout";
import { expect, test } from "./support/test";

const endsWithinMs = 60_000;
const row = (page: Page, drill: string) => page.getByRole("row").filter({ has: page.locator(`[data-drill="${drill}"]`) });
const panel = (page: Page) => page.getByRole("complementary");
const openDrills = async (page: Page) => {
  await page.goto("/operations/drills");
  await expect(page.getByRole("heading", { level: 1, name: "Drills" })).toBeVisible();
};

test.beforeEach(({ page }) => signedInAs(page, "staff"));

test("a drill is started, shows how far it is, passes with all it checks, and leaves nothing where live work is counted", async ({
  page,
}) => {
  await openDrills(page);
  await row(page, "lease-lost").getByRole("button", { name: "Start drill lease-lost" }).click();
  await expect(page.getByText(/Drill DR-[0-9A-Z]{6} was asked for\./)).toBeVisible();
  await expect(panel(page).getByText("Passed", { exact: true })).toBeVisible({ timeout: endsWithinMs });
  await expect(panel(page)).toContainText("5 of 5 invariants");
  await expect(panel(page)).toContainText("The late attempt changed nothing");
  await expect(row(page, "lease-lost")).toContainText("Passed");
  await expectNoAxeViolationInEitherTheme(page);

  const ref = await panel(page).getByRole("heading", { level: 2 }).textContent();
  const seen = await byWorker((tx) => tx.sql`select state, scope_id from drill_runs where ref = ${ref}`);
  expect(seen).toMatchObject([{ state: "PASSED" }]);
  const rows = await byWorker((tx) => tx.sql`select 1 from inbox where consumer = 'drill-effects'`);
  expect(rows).toHaveLength(0);
});

test("one drill at a time: while one runs, the others are off and say why", async ({ page }) => {
  await writeRows(
    ({ sql }) => sql`
      insert into drill_runs (tenant_group_id, ref, drill, carried_out, started_by_kind, started_by_ref, state, lease_owner, lease_until, started_at)
      select id, 'DR-HE1D00', 'lease-lost', 'AUTOMATED', 'person', 'ST-000000', 'RUNNING', 'e2e', clock_timestamp() + interval '1 hour', clock_timestamp()
      from tenant_groups where name = 'Harbour Clinics'`,
  );
  try {
    await openDrills(page);
    await expect(row(page, "lease-lost")).toContainText("Running");
    const off = row(page, "poison-event").getByRole("button", { name: "Start drill poison-event" });
    await expect(off).toHaveAttribute("aria-disabled", "true");
    await expect(off).toHaveAccessibleDescription(/another drill is under way/);
    await expectNoAxeViolation(page);
  } finally {
    await writeRows(({ sql }) => sql`delete from drill_runs where ref = 'DR-HE1D00'`);
  }
});

test("a run that is stopped ends as Cancelled and keeps its steps", async ({ page }) => {
  await openDrills(page);
  await row(page, "replay-killed").getByRole("button", { name: "Start drill replay-killed" }).click();
  await panel(page).getByRole("button", { name: "Stop drill" }).click();
  await expect(panel(page).getByText("Cancelled", { exact: true })).toBeVisible({ timeout: endsWithinMs });
  await expect(panel(page)).toContainText("Stopped by STAFF.");
});

test("drills that stop real processes are off, with the reason, the command and the runbook beside them", async ({ page }) => {
  await openDrills(page);
  const button = row(page, "db-restart").getByRole("button", { name: "Start drill db-restart" });
  await expect(button).toHaveAttribute("aria-disabled", "true");
  await expect(button).toHaveAccessibleDescription(/stop real processes/);
  await expect(page.getByText("npm run drill -- all")).toBeVisible();
  await row(page, "db-restart").getByRole("link", { name: "Runbook RB-13, db-restart" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("RB-13 · db-restart: the database restarts");
  for (const name of ["Symptom", "Evidence to read", "Decision", "Never do"])
    await expect(page.getByRole("heading", { level: 2, name })).toBeVisible();
  await expectNoAxeViolationInEitherTheme(page);
});

test("what people carried out is recorded as such", async ({ page }) => {
  await openDrills(page);
  await page.locator('[data-drill="broker-down"]').click();
  await panel(page).getByRole("button", { name: "Record a drill by people" }).click();
  await page.getByLabel("Minutes").fill("26");
  await page.getByLabel("What was found").fill("The runbook was found within a minute");
  await expectNoAxeViolation(page);
  await page.getByRole("button", { name: "Record drill" }).click();
  await expect(page.getByText(/Drill DR-[0-9A-Z]{6} was recorded\./)).toBeVisible();
  await expect(row(page, "broker-down")).toContainText("By people");
  await expect(row(page, "broker-down")).toContainText("2 people, RB-12");
  await page.keyboard.press("Escape");
  await expect(page.locator('[data-drill="broker-down"]')).toBeFocused();
});

test("who is not STAFF has no way there", async ({ page }) => {
  await signedInAs(page, "berlinDesk");
  await page.goto("/desk");
  await expect(page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Drills" })).toHaveCount(0);
  for (const path of ["/operations/drills", "/operations/drills/runbook/lease-lost"]) {
    const answer = await page.goto(path);
    expect(answer?.status()).toBe(403);
  }
});

test("in Korean nothing is cut off at any width, in either theme", async ({ page }) => {
  await speaking(page, "ko");
  for (const path of ["/operations/drills", "/operations/drills?drill=lease-lost"]) {
    await page.goto(path);
    await expect(page.getByRole("main").getByText("훈련").filter({ visible: true }).first()).toBeVisible();
    await expectFitsEachWidth(page);
  }
});

/** What a live worker sees of the records. */
async function byWorker<T>(ask: Parameters<typeof withRead<T>>[2]): Promise<T> {
  const db = openDb(e2eWorld().workerUrl, { max: 1, applicationName: "e2e" });
  try {
    return await withRead(db, { worker: "e2e" }, ask);
  } finally {
    await closeDb(db);
  }
}
