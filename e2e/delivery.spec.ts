import { lookAtRows } from "@/db/testing/e2e-world";
import { confirmBooking, fillBooking, openVisitRef } from "./actions/desk";
import { removeStoppedRows, stoppedRows } from "./preconditions/a-busy-queue";
import { aCommand } from "./preconditions/a-command";
import { anotherBrowser, signedInAs } from "./preconditions/signed-in";
import { expect, test } from "./support/test";

test.beforeEach(async ({ page }) => {
  await signedInAs(page, "staff");
  const { ref } = await aCommand();
  await page.goto(`/operations/delivery?q=${ref}`);
  await expect(page.getByRole("row", { name: /daily-load-v1/ })).toContainText("Processed");
});

test("tiles filter the queue, and the filter stands in the URL", async ({ page }) => {
  await page.goto("/operations/delivery");
  const processed = page.getByRole("button", { name: /^Processed/ });
  await expect(processed).toHaveAttribute("aria-pressed", "false");
  await processed.click();
  await expect(page).toHaveURL(/state=PROCESSED/);
  await expect(processed).toHaveAttribute("aria-pressed", "true");
  await page.keyboard.press("4");
  await expect(page).toHaveURL(/QUARANTINED/);
  await page.reload();
  await expect(page.getByRole("button", { name: /^Quarantine/ })).toHaveAttribute("aria-pressed", "true");
  await page.goBack();
  await expect(page).not.toHaveURL(/QUARANTINED/);
});

test("the evidence names scope, identity, provenance and digests, and no person; what is copied is the whole value", async ({
  page,
  context,
  browser,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const desk = await anotherBrowser(browser, "berlinDesk");
  await fillBooking(desk, { patient: "falk", time: 1 });
  await confirmBooking(desk);
  const ref = await openVisitRef(desk);
  // a row that comes later waits behind the counter, so the queue is opened again until it is there
  await expect(async () => {
    await page.goto(`/operations/delivery?q=${ref}`);
    await expect(page.getByRole("row", { name: /daily-load-v1/ })).toContainText("Processed", { timeout: 2_000 });
  }).toPass({ timeout: 60_000 });
  await page.getByRole("row", { name: /daily-load-v1/ }).click();
  const panel = page.getByRole("complementary");
  await expect(panel.getByRole("heading", { level: 2 })).toBeFocused();
  for (const term of [
    "Scope",
    "Event",
    "Event identity",
    "Logical consumer",
    "Provenance",
    "Command",
    "Fingerprint",
    "Event digest",
    "requestId",
  ]) {
    await expect(panel.getByText(term, { exact: true })).toBeVisible();
  }
  await expect(panel.getByText("no request yet")).toBeVisible();
  await expect(panel).toContainText("Appointment changed once.");
  await expect(page.getByRole("main")).not.toContainText(/Falk/);
  const id = new URL(page.url()).searchParams.get("row")?.split(".")[1] ?? "";
  const [kept] = await lookAtRows(
    ({ sql }) => sql<{ event: string; digest: string; fingerprint: string }[]>`
      select i.event_id as event, i.content_digest as digest, k.fingerprint
      from inbox i join idempotency_keys k on k.command_id = i.command_id
      where i.id = ${id}`,
  );
  for (const [term, value] of [
    ["Event identity", kept?.event],
    ["Fingerprint", kept?.fingerprint],
    ["Event digest", kept?.digest],
  ] as const) {
    await panel.getByRole("button", { name: `Copy ${term}` }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText()), term).toBe(value);
  }
});

test("the scope switcher closes the evidence, clears the selection and stands in the URL", async ({ page }) => {
  const command = await aCommand();
  await stoppedRows(command, 2);
  try {
    await page.goto("/operations/delivery?view=decision&consumer=triage-drill-v1");
    await page
      .getByRole("checkbox", { name: /^Select / })
      .nth(1)
      .click();
    await expect(page.locator(".bulk")).toContainText("1 selected");
    await page.locator("tr[data-row]").first().click();
    await expect(page.getByRole("complementary")).toBeVisible();
    await page.getByRole("button", { name: /^Clinic/ }).click();
    await page.getByRole("menuitemradio", { name: new RegExp(command.clinicRef) }).click();
    await expect(page).toHaveURL((url) => url.search === `?clinic=${command.clinicRef}`);
    await expect(page.getByRole("complementary")).toHaveCount(0);
    await expect(page.locator(".bulk")).toHaveCount(0);
    await expect(page.getByRole("checkbox", { checked: true })).toHaveCount(0);
  } finally {
    await removeStoppedRows();
  }
});

test("numbers over groups and in the foot are of what is shown, or are not said", async ({ page }) => {
  await page.goto("/operations/delivery");
  const settled = page.getByRole("rowheader", { name: /^Settled in 24 h/ });
  await expect(page.getByRole("status").filter({ hasText: /^\d+ of [\d,]+ rows? shown$/ })).toBeVisible();
  await page.goto("/operations/delivery?state=PROCESSED&consumer=daily-load-v1");
  await expect(settled).toHaveText("Settled in 24 h");
  await expect(page.getByRole("status").filter({ hasText: /^\d+ rows? shown$/ })).toBeVisible();
});

test("a time range is chosen from a menu, stands in the URL and is a filter", async ({ page }) => {
  await page.goto("/operations/delivery");
  await page.getByRole("button", { name: "Time range" }).click();
  await page.getByRole("menuitemradio", { name: "Last 7 days" }).click();
  await expect(page).toHaveURL(/since=7d/);
  await expect(page.getByRole("rowheader", { name: "Settled", exact: true })).toBeVisible();
  await page.reload();
  await page.getByRole("button", { name: "Last 7 days" }).click();
  await page.getByRole("menuitemradio", { name: "Open, and settled in 24 h" }).click();
  await expect(page).not.toHaveURL(/since=/);
});

test("rows are walked, opened and closed by keyboard, and focus comes back", async ({ page }) => {
  const rows = page.locator("tr[data-row]");
  await expect(rows.nth(1)).toBeAttached();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  await expect(rows.first()).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("complementary").getByRole("heading", { level: 2 })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("complementary")).toHaveCount(0);
  await expect(rows.first()).toBeFocused();
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keys" })).toBeVisible();
  await page.keyboard.press("Escape");
});

test("no match names the way back", async ({ page }) => {
  await page.getByRole("searchbox").fill("APT-NOBODY");
  await expect(page.getByText("No row matches these filters.")).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(page).toHaveURL(/\/operations\/delivery$/);
  await expect(page.locator("tr[data-row]").first()).toBeAttached();
});

test("new rows wait behind a counter until they are asked for", async ({ page, browser }) => {
  await page.goto("/operations/delivery");
  await expect(page.locator("tr[data-row]").first()).toBeAttached();
  const before = await page.locator("tr[data-row]").first().getAttribute("data-row");
  const desk = await anotherBrowser(browser, "berlinDesk");
  await fillBooking(desk, { patient: "nessel", time: 0 });
  await confirmBooking(desk);
  await openVisitRef(desk);
  const counter = page.getByRole("button", { name: /new rows?$/ });
  await expect(counter).toBeVisible();
  expect(await page.locator("tr[data-row]").first().getAttribute("data-row")).toBe(before);
  await counter.click();
  await expect(counter).toHaveCount(0);
});

test("a queue that cannot be read says that nothing was changed", async ({ page }) => {
  let isCut = true;
  await page.route("**/api/trpc/*delivery.queue*", (route) => (isCut ? route.abort("connectionfailed") : route.continue()));
  await page.getByRole("searchbox").fill("another");
  await expect(page.getByText("The queue could not be read.")).toBeVisible();
  isCut = false; // the queue is not read by itself: its button stays until it is pressed
  await page.getByRole("button", { name: "Read again" }).click();
  await expect(page.getByText("No row matches these filters.")).toBeVisible();
});
