import type { Page } from "@playwright/test";
import { lookAtRows } from "@/db/testing/e2e-world";
import { aCommand, type SentCommand } from "./preconditions/a-command";
import { anotherBrowser, inTheme, signedInAs, speaking } from "./preconditions/signed-in";
import { poisonHead, removeDeliveries, removeHead, rowBehind, type Stopped, stoppedDeliveries } from "./preconditions/stopped-deliveries";
import { expectNoAxeViolation, expectNoAxeViolationInEitherTheme } from "./questions/accessibility";
import { workOn } from "./questions/tasks";
import { expect, test } from "./support/test";

let command: SentCommand;
const made: Stopped[] = [];
const stopped = async (wish = {}): Promise<Stopped> => {
  const rows = await stoppedDeliveries(command, wish);
  made.push(rows);
  return rows;
};
test.beforeAll(async () => {
  command = await aCommand();
});
test.afterAll(() => removeDeliveries(...made));

const panel = (page: Page) => page.getByRole("complementary");
const rowOf = (page: Page, id: string) => page.locator(`tr[data-row="inbox.${id}"]`);
const stateOf = (id: string) =>
  lookAtRows(async ({ sql }) => {
    const [row] = await sql<{ state: string; reason_code: string }[]>`select state, reason_code from inbox where id = ${id}`;
    return row && `${row.state} ${row.reason_code}`;
  });

test("a poison head is skipped by an operator with a reason; STAFF see why they cannot", async ({ page, browser }) => {
  const head = await poisonHead(command);
  const staff = await anotherBrowser(browser, "staff");
  await staff.goto(`/operations/delivery?view=decision&row=outbox.${head}`);
  await expect(panel(staff)).toContainText("Skip the event is off: it needs the right APPOINTMENT_REPLAY_OPERATOR.");
  await expect(panel(staff).getByRole("button", { name: "Skip the event" })).toHaveAttribute("aria-disabled", "true");
  await signedInAs(page, "operator");
  await page.goto(`/operations/delivery?view=decision&row=outbox.${head}`);
  await panel(page).getByRole("button", { name: "Skip the event" }).click();
  await expect(panel(page)).toContainText("It is never published.");
  await panel(page)
    .getByRole("textbox", { name: /^Reason/ })
    .fill("Made by a broken release.");
  await page.keyboard.press("Enter");
  await expect(page.locator(`tr[data-row="outbox.${head}"]`)).toContainText("Skipped by you");
  expect(await workOn(head)).toMatchObject({ notes: ["PUBLISH_SKIPPED: Made by a broken release."], task: { status: "CLOSED" } });
  await removeHead(head);
});

test("what waits behind a stopped row stays listed when it is kept, and goes on when an operator releases it", async ({ page }) => {
  const rows = await stopped();
  const [id] = rows.ids as [string];
  const behind = await rowBehind(rows);
  await signedInAs(page, "operator");
  await page.goto(`/operations/delivery?consumer=${rows.consumer}`);
  await expect(rowOf(page, behind)).toContainText("Waiting behind");
  await rowOf(page, behind)
    .getByRole("button", { name: /^Open the blocker/ })
    .click();
  await expect(panel(page)).toContainText("1 later event waits behind it.");
  await panel(page).getByRole("button", { name: "Keep quarantined" }).click();
  await expect(panel(page)).toContainText("1 row behind it goes on waiting.");
  await panel(page)
    .getByRole("textbox", { name: /^Reason/ })
    .fill("It is known.");
  await page.keyboard.press("Enter");
  await expect(rowOf(page, id)).toContainText("Kept by you");
  await page.reload();
  await expect(rowOf(page, behind)).toContainText("Waiting behind");
  await page.goto(`/operations/delivery?consumer=${rows.consumer}&row=inbox.${id}`);
  await panel(page).getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Release what waits behind" }).click();
  await panel(page)
    .getByRole("textbox", { name: /^Reason/ })
    .fill("The rest does not need it.");
  await page.keyboard.press("Enter");
  await expect(rowOf(page, id)).toContainText("Released by you");
  expect([await stateOf(id), await stateOf(behind)]).toEqual(["QUARANTINED ATTEMPTS_EXHAUSTED", "RETRYABLE UNBLOCKED"]);
});

test("filters are saved as a view on the server: the STAFF of the clinic have it too", async ({ page, browser }) => {
  const rows = await stopped();
  const name = `Of ${rows.consumer}`;
  await signedInAs(page, "staff");
  await page.goto(`/operations/delivery?clinic=${command.clinicRef}&consumer=${rows.consumer}&state=QUARANTINED`);
  await page.getByRole("button", { name: "Saved views" }).click();
  await page.getByRole("menuitem", { name: "Save these filters as a view" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill(name);
  await page.getByRole("checkbox", { name: `Share with the STAFF of ${command.clinicRef}` }).check();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByRole("tab", { name })).toHaveAttribute("aria-selected", "true");
  const colleague = await anotherBrowser(browser, "colleague");
  await colleague.goto(`/operations/delivery?clinic=${command.clinicRef}`);
  await colleague.getByRole("tab", { name }).click();
  await expect(colleague).toHaveURL(new RegExp(`consumer=${rows.consumer}`));
  await expect(rowOf(colleague, rows.ids[0] as string)).toBeVisible();
  await colleague.getByRole("button", { name: "Saved views" }).click();
  await expect(colleague.getByRole("menuitem", { name: /^Remove/ })).toHaveCount(0);
  await page.getByRole("button", { name: "Saved views" }).click();
  await page.getByRole("menuitem", { name: `Remove the view ${name}` }).click();
  await expect(page.getByRole("tab", { name })).toHaveCount(0);
});

test("reason groups say how many rows stopped for each reason, exactly, and open them", async ({ page }) => {
  const rows = await stopped({ count: 7, reason: "MISMATCH" });
  await signedInAs(page, "staff");
  await page.goto(`/operations/delivery/groups?clinic=${command.clinicRef}`);
  const row = page.getByRole("row", { name: new RegExp(rows.consumer) });
  await expect(row).toContainText("The log holds another record at this position.");
  await expect(row).not.toContainText("MISMATCH");
  await expect(row.getByRole("cell").nth(2)).toHaveText("7");
  await expect(page.getByText(/^\d+ of \d+ reasons?, \d+ records?$/)).toBeVisible();
  await page.keyboard.press("j");
  await expect(page.locator("tr[data-row]").first()).toBeFocused();
  await row.getByRole("link", { name: /^Show the rows/ }).click();
  await expect(page).toHaveURL(new RegExp(`reason=MISMATCH.*consumer=${rows.consumer}`));
  await expect(page.locator("tr[data-row]")).toHaveCount(7);
});

for (const locale of ["en", "ko"] as const) {
  test(`panel, form, bulk bar and groups have no axe violation in either theme (${locale})`, async ({ page }) => {
    const rows = await stopped({ count: 3 });
    await speaking(page, locale);
    await signedInAs(page, "operator");
    await page.goto(`/operations/delivery?consumer=${rows.consumer}`);
    await expect(rowOf(page, rows.ids[0] as string)).toBeVisible();
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await expect(page.locator(".bulk")).toBeVisible();
    await expectNoAxeViolationInEitherTheme(page);
    await page.keyboard.press("q");
    await expect(panel(page).locator("form textarea")).toBeFocused();
    await expectNoAxeViolationInEitherTheme(page);
    await inTheme(page, "light");
    await page.goto("/operations/delivery/groups");
    await expect(page.locator("tr[data-row]").first()).toBeVisible();
    await expectNoAxeViolation(page);
  });
}

test("a screen reader hears state, effect and what can be done of every row", async ({ page }) => {
  const quarantined = await stopped();
  const waiting = await stopped({ state: "RETRYABLE", reason: "DATABASE_BUSY" });
  const held = await stopped({ state: "PROCESSING" });
  const behind = await rowBehind(quarantined);
  await signedInAs(page, "staff");
  const names: [Stopped, string, RegExp][] = [
    [quarantined, quarantined.ids[0] as string, /Quarantine.*Evidence kept.*Keep quarantined/],
    [waiting, waiting.ids[0] as string, /Retry wait.*Can be tried again.*Schedule retry/],
    [held, held.ids[0] as string, /Processing.*A worker holds it.*Wait for lease/],
    [quarantined, behind, /Waiting behind.*No attempt used.*Open the blocker/],
  ];
  for (const [{ consumer }, id, name] of names) {
    await page.goto(`/operations/delivery?consumer=${consumer}`);
    await expect(rowOf(page, id)).toBeVisible();
    await expect(page.getByRole("row", { name }).and(rowOf(page, id))).toHaveCount(1);
  }
  await page.goto(`/operations/delivery?consumer=${quarantined.consumer}`);
  await expect(page.getByRole("checkbox", { name: /^Select APT-/ })).toHaveCount(1);
  await expect(page.getByRole("tab", { name: /^Mine/ })).toBeVisible();
});
