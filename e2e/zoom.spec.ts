// 200 % zoom, 320 px and forced colours: nothing is lost, and what colour says is still said.
import type { Browser, Page } from "@playwright/test";
import { confirmBooking, drawer, openVisitRef } from "./actions/desk";
import { openDayOf, startBookingFor, wishFor } from "./actions/desk-day";
import { aClinic, onCallDeskIsHired } from "./preconditions/a-clinic";
import { aCommand, type SentCommand } from "./preconditions/a-command";
import { aVisit } from "./preconditions/a-visit";
import { signedInAs } from "./preconditions/signed-in";
import { expectNoAxeViolation } from "./questions/accessibility";
import { expectWithinWidth } from "./questions/layout";
import { expect, test } from "./support/test";

let command: SentCommand;
test.beforeAll(async () => {
  await onCallDeskIsHired();
  command = await aCommand();
});

const once = (name: string) => `${name} ${Math.random().toString(36).slice(2, 8)}`;

/** A browser window of 1440 or 1280 px with everything twice as large, and the narrowest page that WCAG asks for. */
const views = [
  ["at 200 % of 1440 px", { viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 }],
  ["at 200 % of 1280 px", { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }],
  ["at 320 px", { viewport: { width: 320, height: 640 }, deviceScaleFactor: 1 }],
] as const;

for (const [name, options] of views) {
  test(`Delivery and a story lose nothing ${name}`, async ({ browser }) => {
    const page = await (await browser.newContext(options)).newPage();
    await signedInAs(page, "staff");
    await page.goto(`/operations/delivery?q=${command.ref}`);
    const cards = page.locator("article[data-row]");
    await expect(cards.first()).toBeVisible();
    await expectWithinWidth(page);
    await expectNoAxeViolation(page);
    await cards
      .first()
      .getByRole("button", { name: /^Read result/ })
      .click();
    const panel = page.getByRole("complementary");
    await expect(panel.getByText("Provenance", { exact: true })).toBeVisible();
    await expectWithinWidth(page);
    await panel.getByRole("button", { name: "Back to the queue" }).click();
    await expect(cards.first()).toBeFocused();
    await page.goto(`/operations/stories/${command.commandId}`);
    await expect(page.getByRole("region", { name: "Records in the order of time" })).toBeVisible();
    await expectWithinWidth(page);
    await page.context().close();
  });

  test(`the desk books ${name}`, async ({ browser }) => {
    const page = await (await browser.newContext(options)).newPage();
    await signedInAs(page, "onCallDesk");
    const marta = once("Marta Lindqvist");
    const clinic = await aClinic({ patients: [{ name: marta }] });
    await openDayOf(page, clinic);
    await expectWithinWidth(page);
    await startBookingFor(page, marta, "Consultation");
    await wishFor(page, clinic.tuesday, "11:00");
    await expect(drawer(page).getByText(/^11:00–11:30 is free/)).toBeVisible();
    await expectWithinWidth(page);
    await confirmBooking(page);
    const ref = await openVisitRef(page);
    await expectWithinWidth(page);
    await drawer(page).getByRole("button", { name: "Back to the calendar" }).click();
    await expect(page.locator("[data-visit]:visible", { hasText: ref })).toBeFocused();
    await page.goto(`/desk?clinic=${clinic.ref}&date=${clinic.tuesday}&view=week`);
    await expect(page.locator(".wk .hcn").first()).toBeVisible();
    await expectWithinWidth(page);
    await page.context().close();
  });
}

const inForcedColours = async (browser: Browser): Promise<Page> => (await browser.newContext({ forcedColors: "active" })).newPage();
const look = (page: Page, selector: string, ...names: string[]) =>
  page
    .locator(selector)
    .first()
    .evaluate((element, wanted) => wanted.map((name) => getComputedStyle(element).getPropertyValue(name)), names);

test("forced colours keep the chosen row, tile and view, and the focus", async ({ browser }) => {
  const page = await inForcedColours(browser);
  await signedInAs(page, "staff");
  await page.goto(`/operations/delivery?q=${command.ref}`);
  await page.locator("tr[data-row]").first().click();
  await expect(page.getByRole("complementary").getByText("Provenance", { exact: true })).toBeVisible();
  expect(await look(page, 'tr[aria-selected="true"] td', "border-left-width", "border-left-style")).toEqual(["3px", "solid"]);
  expect(await look(page, ".nav [aria-current]", "outline-style", "outline-width")).toEqual(["solid", "2px"]);
  expect(await look(page, ".pips b.f", "background-color")).not.toEqual(await look(page, "body", "background-color"));
  await expectNoAxeViolation(page);
  await page.getByRole("button", { name: /^Processed/ }).click();
  expect(await look(page, '.tile[aria-pressed="true"]', "border-bottom-width", "border-bottom-style")).toEqual(["3px", "solid"]);
  await page.keyboard.press("Tab");
  expect(await look(page, ":focus-visible", "outline-style")).toEqual(["solid"]);
  await page.goto(`/operations/stories/${command.commandId}`);
  await expect(page.getByRole("region", { name: "Records in the order of time" })).toBeVisible();
  expect(await look(page, ".wires i", "border-top-style", "border-left-style")).toContain("solid");
  await page.context().close();
});

test("forced colours keep hatched time, lines, chosen time and filters of the desk", async ({ browser }) => {
  const page = await inForcedColours(browser);
  await signedInAs(page, "onCallDesk");
  const marta = once("Marta Lindqvist");
  const clinic = await aClinic({ breaks: [{ interval: ["12:00", "13:00"] }], patients: [{ name: marta }] });
  await aVisit(clinic, { patient: marta, at: "10:00" });
  await openDayOf(page, clinic);
  expect(await look(page, ".hz", "border-top-style", "border-left-style")).toEqual(["dashed", "dashed"]);
  await expect(page.locator(".hz").first()).toContainText("Break 12:00–13:00");
  expect(await look(page, ".cal .hr", "border-top-style")).toEqual(["solid"]);
  expect(await look(page, '.vsw [aria-pressed="true"]', "outline-style")).toEqual(["solid"]);
  await page.getByRole("button", { name: "1 booked" }).click();
  expect(await look(page, '.cnt [aria-pressed="true"]', "outline-style")).toEqual(["solid"]);
  await startBookingFor(page, marta, "Consultation");
  await wishFor(page, clinic.tuesday, "11:00");
  await expect(drawer(page).locator(".slot:has(input:checked)")).toHaveCount(1);
  expect(await look(page, ".slot:has(input:checked)", "outline-style")).toEqual(["solid"]);
  await expectNoAxeViolation(page);
  await page.context().close();
});
