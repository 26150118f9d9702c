import { drawer, fillBooking, openDesk, startBooking } from "./actions/desk";
import { cutTheWayTo } from "./actions/lose-the-answer";
import { aCommand, type SentCommand } from "./preconditions/a-command";
import { signedInAs, speaking } from "./preconditions/signed-in";
import { expectNoAxeViolationInEitherTheme } from "./questions/accessibility";
import { expectFitsEachWidth } from "./questions/layout";
import { motionOf } from "./questions/motion";
import { expect, test } from "./support/test";

let command: SentCommand;
test.beforeAll(async () => {
  command = await aCommand();
});

test.describe("in either theme", () => {
  test("root and sign-in", async ({ page }) => {
    await page.goto("/");
    await expectNoAxeViolationInEitherTheme(page);
    await page.goto("/sign-in");
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByText("Enter your email.")).toBeVisible();
    await expectNoAxeViolationInEitherTheme(page);
    await page.goto("/nowhere");
    await expectNoAxeViolationInEitherTheme(page);
    await page.goto("/design");
    await expect(page.getByRole("heading", { level: 1 }).first()).toHaveText("State dictionary and component states");
    await expectNoAxeViolationInEitherTheme(page);
  });

  test("Delivery: queue, evidence, menus, keys", async ({ page }) => {
    await signedInAs(page, "staff");
    await page.goto("/operations/delivery");
    await expectNoAxeViolationInEitherTheme(page);
    await page.goto(`/operations/delivery?q=${command.ref}`);
    await page.locator("tr[data-row]").first().click();
    await expect(page.getByRole("complementary").getByText("Scope", { exact: true })).toBeVisible();
    await expectNoAxeViolationInEitherTheme(page);
    await page.getByRole("button", { name: /^Account/ }).click();
    await expect(page.getByRole("menu")).toBeVisible();
    await expectNoAxeViolationInEitherTheme(page);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Keys" }).click();
    await expectNoAxeViolationInEitherTheme(page);
  });

  test("Desk: day, booking, refused fields, safe retry, no right", async ({ page }) => {
    await signedInAs(page, "berlinDesk");
    await openDesk(page);
    await expectNoAxeViolationInEitherTheme(page);
    await startBooking(page);
    await drawer(page).getByRole("button", { name: /^Book/ }).click();
    await expectNoAxeViolationInEitherTheme(page);
    await fillBooking(page, { time: 1 });
    await cutTheWayTo(page, "desk.book");
    await drawer(page).getByRole("button", { name: /^Book/ }).click();
    await expect(drawer(page).getByRole("alert")).toBeVisible();
    await expectNoAxeViolationInEitherTheme(page);
    await page.goto("/operations/delivery");
    await expectNoAxeViolationInEitherTheme(page);
    await page.evaluate(() => window.localStorage.clear());
  });
});

test("nothing is cut off or out of reach at any width, in Korean", async ({ page }) => {
  const people = [
    ["staff", "/operations/delivery", "전달"],
    ["seoulDesk", "/desk", undefined],
  ] as const;
  for (const [person, path, heading] of people) {
    await signedInAs(page, person);
    await speaking(page, "ko");
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    if (heading) await expect(page.getByRole("heading", { level: 1 })).toHaveText(heading);
    await expectFitsEachWidth(page);
  }
});

test("who asked for less motion sees none, on the desk and in Delivery", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await signedInAs(page, "berlinDesk");
  await openDesk(page);
  expect(await motionOf(page)).toEqual([]);
  await startBooking(page);
  expect(await motionOf(page)).toEqual([]);
  await page.getByRole("button", { name: "Keys" }).click();
  expect(await motionOf(page)).toEqual([]);
  await signedInAs(page, "staff");
  await page.goto(`/operations/delivery?q=${command.ref}`);
  await page.locator("tr[data-row]").first().click();
  await expect(page.getByRole("complementary").getByText("Scope", { exact: true })).toBeVisible();
  expect(await motionOf(page)).toEqual([]);
  // The question sees what moves: a time of the theme, and an animation that is started here.
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--t-base"))).toMatch(/^0m?s$/);
  await page.evaluate(() => document.body.animate([{ opacity: 0.9 }, { opacity: 1 }], 60_000));
  expect(await motionOf(page)).toEqual([expect.stringContaining("BODY")]);
});
