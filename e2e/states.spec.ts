// Every state of a screen besides the one with rows: empty, no match, no right, loading, error, too old to act on, changed meanwhile.
import type { Locator, Page, Route } from "@playwright/test";
import { drawer, startBooking } from "./actions/desk";
import { openDayOf, openVisit, startBookingFor, wishFor } from "./actions/desk-day";
import { aClinic, onCallDeskIsHired } from "./preconditions/a-clinic";
import { aCommand, type SentCommand } from "./preconditions/a-command";
import { whileNobodyReads } from "./preconditions/a-held-table";
import { aVisit } from "./preconditions/a-visit";
import { signedInAs } from "./preconditions/signed-in";
import { expectNoAxeViolationInEitherTheme } from "./questions/accessibility";
import { countOfAppointments } from "./questions/records";
import { expect, test } from "./support/test";

let command: SentCommand;
test.beforeAll(async () => {
  await onCallDeskIsHired();
  command = await aCommand();
});

const once = (name: string) => `${name} ${Math.random().toString(36).slice(2, 8)}`;
const cut = (route: Route) => route.abort("connectionfailed");

/** Answers of a procedure are held back until the test lets them go. */
async function holdBack(page: Page, procedure: string): Promise<() => void> {
  let letGo = () => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(`**/api/trpc/*${procedure}*`, async (route) => {
    await gate;
    await route.continue();
  });
  return letGo;
}

/** Presses "Read again" while answers are held back: what the page reads by itself, every few seconds, cannot take the button away first. */
async function readAgain(page: Page, procedure: string, within: Page | Locator): Promise<void> {
  const letGo = await holdBack(page, procedure);
  await within.getByRole("button", { name: "Read again" }).click();
  letGo();
}

test.describe("Delivery", () => {
  test.beforeEach(({ page }) => signedInAs(page, "staff"));

  test("empty is good news, no match names the way back, a missing right is named", async ({ page }) => {
    const clinic = await aClinic();
    await page.goto(`/operations/delivery?clinic=${clinic.ref}`);
    await expect(page.getByText("Nothing needs a decision.")).toBeVisible();
    await expectNoAxeViolationInEitherTheme(page);
    await page.goto("/operations/delivery?q=APT-NOBODY");
    await expect(page.getByText("No row matches these filters.")).toBeVisible();
    await expectNoAxeViolationInEitherTheme(page);
    await signedInAs(page, "berlinDesk");
    await page.goto("/operations/delivery");
    await expect(page.getByText("It needs the right Staff (STAFF).", { exact: false })).toBeVisible();
    await expectNoAxeViolationInEitherTheme(page);
  });

  test("rows stay while the next ones are read, and evidence says that it is being read", async ({ page }) => {
    await page.goto(`/operations/delivery?q=${command.ref}`);
    await expect(page.locator("tr[data-row]").first()).toBeVisible();
    const queue = await holdBack(page, "delivery.queue");
    await page.getByRole("searchbox").fill("APT-NOBODY");
    await expect(page.getByText("Updating")).toBeVisible();
    await expect(page.locator("tr[data-row]").first()).toBeVisible();
    queue();
    await expect(page.getByText("No row matches these filters.")).toBeVisible();
    await page.goto(`/operations/delivery?q=${command.ref}`);
    const evidence = await holdBack(page, "delivery.evidence");
    await page.locator("tr[data-row]").first().click();
    await expect(page.getByText("Reading the evidence…")).toBeAttached();
    await expectNoAxeViolationInEitherTheme(page);
    evidence();
    await expect(page.getByRole("complementary").getByText("Scope", { exact: true })).toBeVisible();
  });

  test("what could not be read says so, and reading it again mends it", async ({ page }) => {
    await page.goto(`/operations/delivery?q=${command.ref}`);
    await page.route("**/api/trpc/*delivery.evidence*", cut);
    await page.locator("tr[data-row]").first().click();
    await expect(page.getByText("The evidence could not be read.")).toBeVisible();
    await expectNoAxeViolationInEitherTheme(page);
    await readAgain(page, "delivery.evidence", page.getByRole("complementary"));
    await expect(page.getByRole("complementary").getByText("Scope", { exact: true })).toBeVisible();
    await page.route("**/api/trpc/*delivery.queue*", cut);
    await page.getByRole("searchbox").fill("another");
    await expect(page.getByText("The queue could not be read.")).toBeVisible();
    await expectNoAxeViolationInEitherTheme(page);
  });

  test("evidence that could not be read again for 30 s is no ground to act on", async ({ page }) => {
    await page.clock.install();
    await page.goto(`/operations/delivery?q=${command.ref}`);
    await page.locator("tr[data-row]").first().click();
    await expect(page.getByRole("complementary").getByText("Scope", { exact: true })).toBeVisible();
    await page.route("**/api/trpc/*delivery.evidence*", cut);
    await page.clock.runFor(31_000);
    const alert = page.getByRole("complementary").getByRole("alert");
    await expect(alert).toContainText(/Not read since \d\d:\d\d:\d\d\.Actions are off until it is read again\./);
    await expectNoAxeViolationInEitherTheme(page);
    await readAgain(page, "delivery.evidence", alert);
    await page.clock.runFor(1_000);
    await expect(alert).toHaveCount(0);
  });
});

test("Stories: a command that is being read, one that cannot be, and reading it again shows it", async ({ page }) => {
  await signedInAs(page, "staff");
  let cutNow = () => {};
  const gate = new Promise<void>((resolve) => {
    cutNow = resolve;
  });
  await page.route("**/api/trpc/*stories.head*", (route) => gate.then(() => cut(route)));
  await whileNobodyReads("command_calls", async () => {
    await page.goto(`/operations/stories/${command.commandId}`);
    await expect(page.getByText("Reading the records…")).toBeAttached();
    await expectNoAxeViolationInEitherTheme(page);
    cutNow();
    await expect(page.getByText("The records could not be read.")).toBeVisible();
    await expectNoAxeViolationInEitherTheme(page);
  });
  await readAgain(page, "stories.head", page);
  await expect(page.getByRole("heading", { level: 1 })).toContainText("This command arrived");
});

test("Stories: no match, not there", async ({ page }) => {
  await signedInAs(page, "staff");
  await page.goto("/operations/stories?q=APT-NOBODY");
  await expect(page.getByText("No command matches.")).toBeVisible();
  await expectNoAxeViolationInEitherTheme(page);
  await page.goto("/operations/stories/00000000-0000-7000-8000-000000000000");
  await expect(page.getByText("This command is not in your clinics.")).toBeVisible();
  await expectNoAxeViolationInEitherTheme(page);
});

test.describe("Desk", () => {
  test.beforeEach(({ page }) => signedInAs(page, "onCallDesk"));

  test("an empty day, no matching patient, a missing right", async ({ page }) => {
    const clinic = await aClinic();
    await openDayOf(page, clinic);
    await expect(page.getByText("No visits on this day.").first()).toBeVisible();
    await startBooking(page);
    await drawer(page)
      .getByRole("textbox", { name: /^Patient/ })
      .fill(once("Nobody"));
    await expect(drawer(page).getByText("No match").first()).toBeVisible();
    await expectNoAxeViolationInEitherTheme(page);
    await signedInAs(page, "staff");
    await page.goto("/desk");
    await expect(page.getByText("It needs the right Front desk (FRONT_DESK).", { exact: false })).toBeVisible();
    await expectNoAxeViolationInEitherTheme(page);
  });

  test("a week that is being read, and one that cannot be; a day that cannot be", async ({ page }) => {
    const clinic = await aClinic();
    await openDayOf(page, clinic);
    const week = await holdBack(page, "desk.week");
    await page.getByRole("button", { name: "Week", exact: true }).click();
    await expect(page.getByText("Reading the week…")).toBeAttached();
    await expectNoAxeViolationInEitherTheme(page);
    week();
    await expect(page.locator(".wk")).toBeVisible();
    await page.goto("about:blank");
    await page.unroute("**/api/trpc/*desk.week*");
    await page.route("**/api/trpc/*desk.week*", cut);
    await openDayOf(page, clinic, { view: "week" });
    await expect(page.getByText("The week could not be read.")).toBeVisible();
    await expectNoAxeViolationInEitherTheme(page);
    await openDayOf(page, clinic);
    await page.route("**/api/trpc/*desk.day*", cut);
    await page.getByRole("button", { name: "Next day" }).click();
    await expect(page.getByText("The day could not be read.")).toBeVisible();
    await expectNoAxeViolationInEitherTheme(page);
    await readAgain(page, "desk.day", page);
    await expect(page.getByRole("heading", { level: 1 })).toContainText("Wed");
  });

  test("a week that cannot be read again stays in sight, says from when it is, and is live again with the next reading", async ({
    page,
  }) => {
    const clinic = await aClinic();
    await page.clock.install();
    await openDayOf(page, clinic, { view: "week" });
    await expect(page.locator(".wk")).toBeVisible();
    await expect(page.getByText(/^Live/)).toBeVisible();
    await page.route("**/api/trpc/*desk.week*", cut);
    await page.clock.runFor(16_000);
    await page.clock.runFor(6_000); // the day was read once more by now, and it is not what is shown
    await expect(page.getByText(/^Reconnecting · last update \d\d:\d\d:\d\d/)).toBeVisible();
    await expect(page.locator(".wk")).toBeVisible();
    await expectNoAxeViolationInEitherTheme(page);
    await page.unroute("**/api/trpc/*desk.week*");
    await page.clock.runFor(16_000);
    await expect(page.getByText(/^Live/)).toBeVisible();
  });

  test("without a network nothing can be sent, the form stays, and back again it is booked", async ({ page, context }) => {
    const marta = once("Marta Lindqvist");
    const clinic = await aClinic({ patients: [{ name: marta }] });
    await openDayOf(page, clinic);
    await startBookingFor(page, marta, "Consultation");
    await wishFor(page, clinic.tuesday, "12:00");
    const book = drawer(page).getByRole("button", { name: "Book 12:00" });
    await expect(book).toBeVisible();
    const before = await countOfAppointments();
    await context.setOffline(true);
    await expect(page.getByText(/^Offline · showing \d\d:\d\d:\d\d, actions are off/)).toBeVisible();
    await expect(book).toHaveAttribute("aria-disabled", "true");
    await expect(book).toHaveAccessibleDescription("Actions are off until it is read again.");
    await expectNoAxeViolationInEitherTheme(page);
    await book.click({ force: true });
    await context.setOffline(false);
    await expect(page.getByText(/^Live/)).toBeVisible();
    await expect(drawer(page).getByLabel("Wished start")).toHaveValue("12:00");
    expect(await countOfAppointments()).toBe(before);
    await book.click();
    await expect(drawer(page).getByText("Booked.", { exact: true })).toBeVisible();
    expect(await countOfAppointments()).toBe(before + 1);
  });

  test("a day that could not be read again for 30 s is no ground to act on", async ({ page }) => {
    const marta = once("Marta Lindqvist");
    const clinic = await aClinic({ patients: [{ name: marta }] });
    const visit = await aVisit(clinic, { patient: marta, at: "10:00" });
    await page.clock.install();
    await openDayOf(page, clinic);
    await openVisit(page, visit.ref);
    await page.route("**/api/trpc/*desk.day*", cut);
    await page.clock.runFor(40_000);
    await expect(drawer(page).getByRole("alert")).toContainText("Actions are off until it is read again.");
    await expect(page.getByText(/^Reconnecting/)).toBeVisible();
    await expect(drawer(page).getByRole("button", { name: "Cancel visit" })).toHaveAttribute("aria-disabled", "true");
    await expectNoAxeViolationInEitherTheme(page);
    await readAgain(page, "desk.day", drawer(page));
    await page.clock.runFor(1_000);
    await expect(drawer(page).getByRole("alert")).toHaveCount(0);
  });
});
