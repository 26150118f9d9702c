import { drawer } from "./actions/desk";
import { openDayOf, openVisit } from "./actions/desk-day";
import { chooseDays, enterAbsence, findNewTimes, openConfirm, openPlanning, openRun, panel, runRow, saveFact } from "./actions/planning";
import { aClinic, type OwnClinic, onCallDeskIsHired } from "./preconditions/a-clinic";
import { planningStandsStill } from "./preconditions/a-held-screen";
import { aVisit, type BookedVisit } from "./preconditions/a-visit";
import { anotherBrowser, signedInAs, speaking } from "./preconditions/signed-in";
import { expectNoAxeViolation, expectNoAxeViolationInEitherTheme } from "./questions/accessibility";
import { expectFitsEachWidth, expectWithinWidth } from "./questions/layout";
import { newTimeMessages, placeOf, runOf } from "./questions/planning";
import { expect, test } from "./support/test";

const [ada, bruno] = ["Dr Ada Winter", "Dr Bruno Sommer"];
const absence = { from: "09:00", until: "12:00" };

test.beforeAll(onCallDeskIsHired);

/** A clinic in which Ada has two visits before noon, and everybody has time in the afternoon. */
async function aClinicWithTwoVisits(): Promise<{ clinic: OwnClinic; visits: BookedVisit[] }> {
  const clinic = await aClinic({ doctors: [ada as string, bruno as string], patients: [{ name: "Ida Planbar" }, { name: "Udo Planbar" }] });
  const visits = [
    await aVisit(clinic, { patient: "Ida Planbar", at: "10:00", doctor: ada }),
    await aVisit(clinic, { patient: "Udo Planbar", at: "11:00", doctor: ada }),
  ];
  return { clinic, visits };
}

test("an absence at the desk becomes a plan that STAFF apply, and desk and patients see the new times", async ({ page, browser }) => {
  const { clinic, visits } = await aClinicWithTwoVisits();
  const before = await Promise.all(visits.map(({ ref }) => placeOf(ref)));
  await signedInAs(page, "onCallDesk");
  await openDayOf(page, clinic);

  await enterAbsence(page, ada as string, absence);
  const affected = drawer(page).getByRole("region", { name: "Affected visits" });
  for (const { ref } of visits) await expect(affected).toContainText(ref);
  await expect(affected).toContainText("2 visits cannot take place as they stand.");
  await saveFact(page);
  expect(await Promise.all(visits.map(({ ref }) => placeOf(ref)))).toEqual(before); // nothing is moved silently
  const run = await findNewTimes(page);

  const staff = await anotherBrowser(browser, "staff");
  await openPlanning(staff, clinic);
  await expect(runRow(staff, run)).toContainText("Ready to apply");
  await openRun(staff, run);
  await expect(panel(staff)).toContainText("5 of 5 fact groups equal");
  for (const { ref } of visits) await expect(staff.locator(".mvs.inpane")).toContainText(ref);
  await expectNoAxeViolationInEitherTheme(staff);
  const apply = await openConfirm(staff, "Apply plan", /^Apply 2 moves$/);
  await expect(panel(staff).locator("#confirm")).toContainText("2 visits, 2 notifications");
  await expectNoAxeViolationInEitherTheme(staff);
  await apply.press("Enter");
  await expect(runRow(staff, run).locator(".ac")).toContainText("Applied");
  await expect(panel(staff).getByRole("heading", { level: 2 })).toBeFocused(); // the confirm that had the focus is gone
  expect(await runOf(run)).toMatchObject({ state: "APPLIED", written: 2 });

  const after = await Promise.all(visits.map(({ ref }) => placeOf(ref)));
  for (const [n, place] of after.entries()) {
    expect(place).not.toEqual(before[n]);
    expect(place.at.slice(11) >= absence.until || place.doctor === bruno || !place.at.startsWith(clinic.tuesday)).toBe(true);
  }
  await expect(drawer(page).getByText("Applied: 2 visits have their new time.")).toBeVisible();
  const stays = after.findIndex(({ at }) => at.startsWith(clinic.tuesday));
  if (stays >= 0) await openVisit(page, visits[stays]?.ref ?? "");
  for (const { ref } of visits) await expect.poll(() => newTimeMessages(ref)).toEqual(["SENT"]);
  await openRun(staff, run);
  await expect(panel(staff)).toContainText("2 sent, 0 to send");
  await staff.context().close();
});

test("O-8 a fact that is changed in between makes the plan stale: the card names that fact only, and a new calculation is applied", async ({
  page,
  browser,
}) => {
  const { clinic, visits } = await aClinicWithTwoVisits();
  await signedInAs(page, "onCallDesk");
  await openDayOf(page, clinic);
  await enterAbsence(page, ada as string, absence);
  await saveFact(page);
  const run = await findNewTimes(page);
  // the desk has its next fact ready, STAFF their confirm: the fact is saved first, and STAFF decide by what they saw before
  await openDayOf(page, clinic);
  await enterAbsence(page, bruno as string, { from: "16:00", until: "16:30" });
  const staff = await anotherBrowser(browser, "staff");
  await openPlanning(staff, clinic);
  await openRun(staff, run);
  const apply = await openConfirm(staff, "Apply plan", /^Apply 2 moves$/);
  const readAgain = await planningStandsStill(staff);
  await saveFact(page);

  const before = await Promise.all(visits.map(({ ref }) => placeOf(ref)));
  await apply.click();
  await expect(runRow(staff, run).locator(".ac")).toContainText("The facts are other ones by now.");
  expect(await runOf(run)).toMatchObject({ state: "STALE_REJECTED", written: 0 });
  expect(await Promise.all(visits.map(({ ref }) => placeOf(ref)))).toEqual(before);

  await readAgain();
  await openPlanning(staff, clinic, "&state=STALE_REJECTED");
  await openRun(staff, run);
  const changed = panel(staff).getByRole("list", { name: "Changed facts" }).getByRole("listitem");
  await expect(changed).toHaveCount(1);
  await expect(changed).toContainText(/Absence D-[0-9A-Z]{6}, \w{3} 16:00–16:30/);
  await expect(panel(staff)).toContainText("1 of 5 fact groups differs");
  await expect(panel(staff)).toContainText("Yes, 0 rows");
  await expect(panel(staff).locator(".act").getByRole("button")).toHaveText(["Discard and recalculate"]); // no retry, no apply
  await expectNoAxeViolationInEitherTheme(staff);
  await (await openConfirm(staff, "Discard and recalculate", /^Discard and recalculate$/)).press("Enter");
  await expect(runRow(staff, run).locator(".ac")).toContainText("Calculating anew: SOL-");

  const next = (await runOf(run)).next as string;
  await openPlanning(staff, clinic);
  await expect(runRow(staff, next)).toContainText("Ready to apply");
  await openRun(staff, next);
  await expect(panel(staff)).toContainText("In place of");
  await (await openConfirm(staff, "Apply plan", /^Apply 2 moves$/)).press("Enter");
  await expect(runRow(staff, next).locator(".ac")).toContainText("Applied");
  expect(await runOf(next)).toMatchObject({ state: "APPLIED", written: 2 });
  for (const { ref } of visits) await expect.poll(() => newTimeMessages(ref)).toEqual(["SENT"]);
  await staff.context().close();
});

test("a part of a plan is a new run in which the rest stays, and what is discarded is written nowhere", async ({ page, browser }) => {
  const { clinic, visits } = await aClinicWithTwoVisits();
  await signedInAs(page, "onCallDesk");
  await openDayOf(page, clinic);
  await enterAbsence(page, ada as string, absence);
  await saveFact(page);
  const run = await findNewTimes(page);
  const staff = await anotherBrowser(browser, "staff");
  await openPlanning(staff, clinic);
  await openRun(staff, run);
  await panel(staff).getByRole("button", { name: "Apply a part" }).click();
  await staff.locator(".mvs.inpane").getByRole("checkbox", { name: visits[0]?.ref }).check();
  await panel(staff).locator("#confirm").getByRole("button", { name: "Calculate with 1 move" }).click();
  await expect(runRow(staff, run).locator(".ac")).toContainText("Part asked for: SOL-");
  const part = (await runOf(run)).next as string;
  await openPlanning(staff, clinic);
  await expect(runRow(staff, part)).toContainText("Ready to apply");
  await openRun(staff, part);
  await expect(panel(staff)).toContainText("Part of");
  await (await openConfirm(staff, "Discard", /^Discard plan$/)).press("Enter");
  await expect(runRow(staff, part).locator(".ac")).toContainText("Discarded by you");
  expect(await runOf(part)).toMatchObject({ state: "DISCARDED", written: null });
  await staff.context().close();
});

test("keys walk the queue, open a row, leave the confirm and then the panel, and nothing is applied by a key alone", async ({
  page,
  browser,
}) => {
  const { clinic } = await aClinicWithTwoVisits();
  await signedInAs(page, "onCallDesk");
  await openDayOf(page, clinic);
  await enterAbsence(page, ada as string, absence);
  await saveFact(page);
  const run = await findNewTimes(page);
  const staff = await anotherBrowser(browser, "staff");
  await staff.goto("/operations/audit");
  await staff.keyboard.press("g");
  await staff.keyboard.press("p");
  await expect(staff).toHaveURL(/\/operations\/planning/);
  await openPlanning(staff, clinic);
  await staff.keyboard.press("j");
  await expect(runRow(staff, run)).toBeFocused();
  await staff.keyboard.press("Enter");
  await expect(panel(staff).getByRole("heading", { level: 2 })).toBeFocused();
  await expect(panel(staff).getByRole("heading", { name: "Five questions" })).toBeVisible();
  await openConfirm(staff, "Apply plan", /^Apply 2 moves$/);
  await staff.keyboard.press("Escape");
  await expect(panel(staff).locator("#confirm")).toHaveCount(0);
  await staff.keyboard.press("Escape");
  await expect(panel(staff)).toHaveCount(0);
  await expect(runRow(staff, run)).toBeFocused();
  await staff.keyboard.press("1");
  await expect(staff.getByRole("button", { name: /^Applied/ })).toHaveAttribute("aria-pressed", "true");
  await expect(staff.getByText("No row matches these filters.")).toBeVisible();
  expect((await runOf(run)).state).toBe("CALCULATED");

  await staff.keyboard.press("Control+k");
  await staff.getByRole("dialog", { name: "Find a reference" }).getByRole("combobox").fill(run);
  await staff.getByRole("option", { name: run }).click();
  await expect(panel(staff).getByRole("heading", { level: 2 })).toContainText(run);

  const fits = () => expectFitsEachWidth(staff, { also: () => expectWithinWidth(staff) });
  await fits();
  await openPlanning(staff, clinic);
  const opened = `/operations/planning?clinic=${clinic.ref}&row=${await rowIdOf(staff, run)}`;
  await fits();
  await staff.goto(opened); // a page of its own on a phone
  await expect(panel(staff).getByRole("heading", { name: "Five questions" })).toBeVisible();
  await fits();
  await speaking(staff, "ko");
  await staff.reload();
  await expect(staff.getByText("다섯 질문")).toBeVisible();
  await expectWithinWidth(staff);
  await expectNoAxeViolation(staff);
  await staff.context().close();
});

test("plans are found by the days that they meet, and the filter is kept as a view that the STAFF of the clinic share", async ({
  page,
  browser,
}) => {
  const { clinic } = await aClinicWithTwoVisits();
  await signedInAs(page, "onCallDesk");
  await openDayOf(page, clinic);
  await enterAbsence(page, ada as string, absence);
  await saveFact(page);
  const run = await findNewTimes(page);
  const staff = await anotherBrowser(browser, "staff");
  await openPlanning(staff, clinic);
  await expect(runRow(staff, run)).toBeVisible();
  await chooseDays(staff, clinic.tuesday, clinic.tuesday);
  await expect(staff).toHaveURL(new RegExp(`days=${clinic.tuesday}\\.\\.${clinic.tuesday}`));
  await expect(runRow(staff, run)).toBeVisible();
  await expectNoAxeViolationInEitherTheme(staff);
  await staff.getByRole("button", { name: /^Days/ }).click();
  await staff.getByRole("menuitemradio", { name: "Today", exact: true }).click();
  await expect(staff.getByText("No row matches these filters.")).toBeVisible(); // its days are those of the absence
  await staff.goBack();
  await expect(runRow(staff, run)).toBeVisible();

  const name = `Days of ${run}`;
  await staff.getByRole("button", { name: "Saved views" }).click();
  await staff.getByRole("menuitem", { name: "Save these filters as a view" }).click();
  await staff.getByRole("textbox", { name: "Name" }).fill(name);
  await staff.getByRole("checkbox", { name: `Share with the STAFF of ${clinic.ref}` }).check();
  await staff.getByRole("button", { name: "Save", exact: true }).click();
  await expect(staff.getByRole("tab", { name })).toHaveAttribute("aria-selected", "true");
  const colleague = await anotherBrowser(browser, "colleague");
  await openPlanning(colleague, clinic);
  await colleague.getByRole("tab", { name }).click();
  await expect(colleague).toHaveURL(new RegExp(`days=${clinic.tuesday}`));
  await expect(runRow(colleague, run)).toBeVisible();
  await colleague.goto(`/operations/delivery?clinic=${clinic.ref}`);
  await expect(colleague.getByRole("tab", { name: "Needs a decision" })).toBeVisible();
  await expect(colleague.getByRole("tab", { name })).toHaveCount(0); // a view is of one screen
  await staff.getByRole("button", { name: "Saved views" }).click();
  await staff.getByRole("menuitem", { name: `Remove the view ${name}` }).click();
  await expect(staff.getByRole("tab", { name })).toHaveCount(0);
  await speaking(staff, "ko");
  for (const width of [1440, 768, 390]) {
    await staff.setViewportSize({ width, height: 844 });
    await staff.goto(`/operations/planning?clinic=${clinic.ref}&days=7d`);
    await expect(staff.getByRole("button", { name: "오늘부터 7일" })).toBeVisible();
    await expectWithinWidth(staff);
  }
  await colleague.context().close();
  await staff.context().close();
});

/** The id that the address of an open row carries. */
async function rowIdOf(page: import("@playwright/test").Page, ref: string): Promise<string> {
  return (await page.locator("[data-row]", { hasText: ref }).first().getAttribute("data-row")) ?? "";
}
