import { drawer } from "./actions/desk";
import { openDayOf } from "./actions/desk-day";
import { findNewTimes, saveFact } from "./actions/planning";
import { aClinic, onCallDeskIsHired } from "./preconditions/a-clinic";
import { aVisit } from "./preconditions/a-visit";
import { signedInAs, speaking } from "./preconditions/signed-in";
import { expectNoAxeViolation, expectNoAxeViolationInEitherTheme } from "./questions/accessibility";
import { expectWithinWidth } from "./questions/layout";
import { statusOf } from "./questions/records";
import { expect, test } from "./support/test";

const ada = "Dr Ada Winter";
const menuOf = (name: string) => `Absences, closures and more of ${name}`;

test.beforeAll(onCallDeskIsHired);
test.beforeEach(async ({ page }) => {
  await signedInAs(page, "onCallDesk");
});

test("the keyboard alone enters an absence, changes it and ends it; visits are listed first, and none is moved", async ({ page }) => {
  const clinic = await aClinic({ doctors: [ada], patients: [{ name: "Ida Tagweise" }] });
  const { ref } = await aVisit(clinic, { patient: "Ida Tagweise", at: "10:00" });
  await openDayOf(page, clinic);
  await page.getByRole("button", { name: menuOf(ada) }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("menuitem", { name: "Add an absence" })).toBeFocused();
  await expectNoAxeViolationInEitherTheme(page);
  await page.keyboard.press("Enter");
  await expect(drawer(page).getByRole("heading", { name: "Add an absence" })).toBeFocused();
  await drawer(page).getByLabel("From, time").fill("09:00");
  await drawer(page).getByLabel("To, time").fill("12:00");
  await page.keyboard.press("Enter");
  const affected = drawer(page).getByRole("region", { name: "Affected visits" });
  await expect(affected).toContainText("1 visit cannot take place as it stands.");
  await expect(affected).toContainText(ref);
  await expect(page.locator(".lane", { hasText: ref })).not.toContainText("Absent"); // nothing is saved yet
  await expectNoAxeViolationInEitherTheme(page);
  await drawer(page).getByRole("button", { name: "Save, 1 visit affected" }).focus();
  await page.keyboard.press("Enter");
  await expect(drawer(page).getByText("Saved. No visit was moved.")).toBeVisible();
  expect(await statusOf(ref)).toBe("CONFIRMED");
  await expect(drawer(page).getByRole("button", { name: "Find new times" })).toBeVisible();
  await expectNoAxeViolation(page);

  const change = drawer(page).getByRole("button", { name: /^Change: Absence/ });
  await change.press("Enter");
  await drawer(page).getByLabel("From, time").fill("11:00");
  await drawer(page).getByRole("button", { name: "See affected visits" }).press("Enter");
  await expect(affected).toContainText("No visit is affected.");
  await drawer(page).getByRole("button", { name: "Save", exact: true }).press("Enter");
  await expect(drawer(page).getByText("Saved. No visit was moved.")).toBeVisible();
  await expect(page.getByText("Absent").first()).toBeVisible();

  await drawer(page)
    .getByRole("button", { name: /^End now: Absence/ })
    .press("Enter");
  await expect(drawer(page).getByText("Nothing stands in the way of visits here.")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(drawer(page)).toHaveCount(0);
  await expect(page.getByRole("button", { name: menuOf(ada) })).toBeFocused();
});

test("what cannot be is said in words, and nothing is saved", async ({ page }) => {
  const clinic = await aClinic({ doctors: [ada] });
  await openDayOf(page, clinic);
  await page.getByRole("button", { name: menuOf(ada) }).click();
  await page.getByRole("menuitem", { name: "Close the clinic" }).click();
  await drawer(page).getByLabel("From, time").fill("12:00");
  await drawer(page).getByLabel("To, time").fill("11:00");
  await drawer(page).getByRole("button", { name: "See affected visits" }).click();
  await expect(drawer(page).getByRole("alert")).toContainText("The end must come after the start.");
  await expect(drawer(page).getByRole("alert")).toContainText("Nothing was changed.");
  await expectNoAxeViolation(page);
});

test("a break for everybody stands in every column; weekly hours are shown to the desk and changed by an administrator", async ({
  page,
}) => {
  const clinic = await aClinic({ doctors: [ada, "Dr Bruno Sommer"] });
  await openDayOf(page, clinic);
  await page.getByRole("button", { name: menuOf(ada) }).click();
  await page.getByRole("menuitem", { name: "Add a break" }).click();
  await drawer(page).getByLabel("For").selectOption({ label: "Everybody" });
  await drawer(page).getByLabel("From, time").fill("10:15");
  await drawer(page).getByLabel("To, time").fill("10:45");
  await drawer(page).getByLabel("Name").fill("Team");
  await drawer(page).getByRole("button", { name: "See affected visits" }).click();
  await drawer(page).getByRole("button", { name: "Save", exact: true }).click();
  await expect(drawer(page).getByRole("region", { name: "From this day on" })).toContainText("Every day, 10:15–10:45");
  await expect(page.locator(".cal")).toContainText("Team");

  await page.getByRole("button", { name: menuOf(ada) }).click();
  await page.getByRole("menuitem", { name: "Weekly hours" }).click();
  await expect(drawer(page).getByLabel("Tuesday")).toHaveValue(/\d\d:\d\d-\d\d:\d\d/);
  const look = drawer(page).getByRole("button", { name: "See affected visits" });
  await expect(look).toHaveAttribute("aria-disabled", "true");
  await expect(look).toHaveAccessibleDescription("Weekly hours are changed by an administrator.");
  await expectNoAxeViolationInEitherTheme(page);
});

for (const locale of ["en", "ko"] as const)
  test(`on a phone the agenda leads to every form of a doctor and a room (${locale})`, async ({ page }) => {
    const clinic = await aClinic({ doctors: [ada], treatments: [{ name: "Ultrasound", minutes: 30, room: true }] });
    const words = locale === "en" ? { menu: "Absences, closures", add: "Add" } : { menu: "부재·휴진", add: "추가" };
    const forms = { doctor: 5, room: 3 }; // absence, break, closure, two weeks; outage, closure, a week
    await speaking(page, locale);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`/desk?clinic=${clinic.ref}&date=${clinic.tuesday}`);
    const menu = page.getByRole("button", { name: words.menu, exact: true });
    for (const [name, count] of [
      [ada, forms.doctor],
      ["Room 2", forms.room],
    ] as const) {
      await menu.focus();
      await page.keyboard.press("Enter");
      await expect(page.getByRole("menuitem").first()).toBeFocused();
      for (const item of [menu, ...(await page.getByRole("menuitem").all())])
        expect(Math.round((await item.boundingBox())?.height ?? 0)).toBeGreaterThanOrEqual(44);
      await expectNoAxeViolation(page);
      if (name !== ada) await page.keyboard.press("ArrowDown");
      await expect(page.getByRole("menuitem", { name })).toBeFocused();
      await page.keyboard.press("Enter");
      const heading = drawer(page).getByRole("heading", { level: 2 });
      await expect(heading).toBeFocused();
      await expect(heading).toContainText(name);
      const buttons = drawer(page).getByRole("region", { name: words.add, exact: true }).getByRole("button");
      await expect(buttons).toHaveCount(count);
      await expectWithinWidth(page);
      await expectNoAxeViolation(page);
      for (const n of Array.from({ length: count }).keys()) {
        await buttons.nth(n).click();
        await expect(heading).not.toContainText(name);
        await expectWithinWidth(page);
        await drawer(page)
          .getByRole("button", { name: locale === "en" ? "Back to the list" : "목록으로", exact: true })
          .click();
      }
      await page.keyboard.press("Escape");
      await expect(drawer(page)).toHaveCount(0);
      await expect(menu).toBeFocused();
    }
  });

test("on a phone an absence is entered and new times are asked for", async ({ page }) => {
  const clinic = await aClinic({ doctors: [ada, "Dr Bruno Sommer"], patients: [{ name: "Ida Tagweise" }] });
  const { ref } = await aVisit(clinic, { patient: "Ida Tagweise", at: "10:00", doctor: ada });
  await page.setViewportSize({ width: 390, height: 844 });
  await openDayOf(page, clinic);
  await page.getByRole("button", { name: "Absences, closures", exact: true }).click();
  await page.getByRole("menuitem", { name: ada }).click();
  await drawer(page).getByRole("button", { name: "Add an absence" }).click();
  await drawer(page).getByLabel("From, time").fill("09:00");
  await drawer(page).getByLabel("To, time").fill("12:00");
  await drawer(page).getByRole("button", { name: "See affected visits" }).click();
  await expect(drawer(page).getByRole("region", { name: "Affected visits" })).toContainText(ref);
  await expectWithinWidth(page);
  await saveFact(page);
  expect(await statusOf(ref)).toBe("CONFIRMED");
  expect(await findNewTimes(page)).toMatch(/^SOL-/);
  await expectWithinWidth(page);
  await expectNoAxeViolation(page);
});
