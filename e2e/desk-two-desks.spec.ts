import { chooseTreatment, drawer, openVisitRef, startBooking } from "./actions/desk";
import { openDayOf, openVisit, startBookingFor, wishFor } from "./actions/desk-day";
import { aClinic, onCallDeskIsHired, zoneAtNoon } from "./preconditions/a-clinic";
import { aVisit } from "./preconditions/a-visit";
import { anotherBrowser, signedInAs } from "./preconditions/signed-in";
import { expectNoAxeViolation, expectNoAxeViolationInEitherTheme } from "./questions/accessibility";
import { countOfAppointments, startOf, statusOf } from "./questions/records";
import { expect, test } from "./support/test";

test.beforeAll(onCallDeskIsHired);
test.beforeEach(({ page }) => signedInAs(page, "onCallDesk"));

const once = (name: string) => `${name} ${Math.random().toString(36).slice(2, 8)}`;
const allDay: [string, string][] = [["00:00", "00:00"]];

test("H-J2 what another desk changed is said with its time, and nothing is done before it was read again", async ({ page, browser }) => {
  const marta = once("Marta Lindqvist");
  const clinic = await aClinic({ zone: zoneAtNoon(), hours: allDay, patients: [{ name: marta }] });
  const visit = await aVisit(clinic, { patient: marta, at: "22:00", date: clinic.today });
  await openDayOf(page, clinic, { date: clinic.today });
  await openVisit(page, visit.ref);
  await drawer(page).getByRole("button", { name: "Cancel visit" }).click();
  await drawer(page).getByLabel("Reason").selectOption({ label: "The patient asked" });

  const other = await anotherBrowser(browser, "onCallDesk");
  await openDayOf(other, clinic, { date: clinic.today });
  await openVisit(other, visit.ref);
  await drawer(other).getByRole("button", { name: "Mark as arrived" }).click();
  await expect(drawer(other)).toContainText("Changed."); // beside it stands Undo, once the day was read again

  const alert = drawer(page).getByRole("alert");
  await expect(alert).toContainText(/Changed at \d\d:\d\d by another desk\./);
  await expect(alert).toContainText("Changed: Arrived.");
  await expect(drawer(page).getByLabel("Reason")).toHaveValue("PATIENT_REQUEST"); // what was chosen is kept
  const cancel = drawer(page).getByRole("button", { name: "Cancel visit" }).last();
  await expect(cancel).toHaveAttribute("aria-disabled", "true");
  await expect(cancel).toHaveAccessibleDescription(/Read it again before you decide/);
  await expectNoAxeViolation(page);
  await cancel.click({ force: true });
  expect(await statusOf(visit.ref)).toBe("CHECKED_IN");
  await alert.getByRole("button", { name: "Read again" }).click();
  await expect(alert).toHaveCount(0);
  await cancel.click();
  await expect.poll(() => statusOf(visit.ref)).toBe("CANCELLED");
});

test("H-J4 a live refresh keeps typing, cursor, focus, scroll and selection", async ({ page, browser }) => {
  const [marta, jonas] = [once("Marta Lindqvist"), once("Jonas Albrecht")];
  const clinic = await aClinic({ zone: zoneAtNoon(), hours: allDay, patients: [{ name: marta }, { name: jonas }] });
  const visit = await aVisit(clinic, { patient: jonas, at: "20:00", date: clinic.today });
  await openDayOf(page, clinic, { date: clinic.today });
  const scroll = page.locator(".scroll");
  await scroll.evaluate((element) => element.scrollTo(0, 400));
  await startBooking(page);
  await drawer(page).getByLabel("Wished start").fill("21:30");
  await drawer(page).getByRole("button", { name: "New patient" }).click();
  const name = drawer(page).getByRole("region", { name: "New patient" }).getByLabel("Name");
  await name.fill("Somebody typed half a na");
  await name.evaluate((element: HTMLInputElement) => element.setSelectionRange(9, 14));

  const other = await anotherBrowser(browser, "onCallDesk");
  await openDayOf(other, clinic, { date: clinic.today });
  await openVisit(other, visit.ref);
  await drawer(other).getByRole("button", { name: "Mark as arrived" }).click();

  await expect(page.locator(".calwrap [data-visit]", { hasText: visit.ref })).toContainText("Arrived");
  await expect(name).toBeFocused();
  await expect(name).toHaveValue("Somebody typed half a na");
  expect(await name.evaluate((element: HTMLInputElement) => [element.selectionStart, element.selectionEnd])).toEqual([9, 14]);
  expect(await scroll.evaluate((element) => element.scrollTop)).toBe(400);
  await expect(drawer(page).getByLabel("Wished start")).toHaveValue("21:30");

  // What was typed is saved, and what the other desk changed stays.
  const typed = once("Somebody typed half a name");
  await name.fill(typed);
  await drawer(page).getByRole("button", { name: "Add patient" }).click();
  await expect(drawer(page).locator("form").getByText(typed, { exact: true })).toBeVisible();
  await chooseTreatment(page, "Consultation");
  await drawer(page).getByRole("button", { name: "Book 21:30" }).click();
  const ref = await openVisitRef(page);
  await expect(page.locator(".calwrap [data-visit]", { hasText: ref })).toContainText(typed);
  expect([await statusOf(ref), await statusOf(visit.ref)]).toEqual(["CONFIRMED", "CHECKED_IN"]);
});

test("a visit that another desk moves is not moved over it; a refused move changes nothing and says why", async ({ page, browser }) => {
  const [marta, jonas] = [once("Marta Lindqvist"), once("Jonas Albrecht")];
  const clinic = await aClinic({ doctors: ["Dr Ada Winter"], patients: [{ name: marta }, { name: jonas }] });
  const visit = await aVisit(clinic, { patient: marta, at: "10:00" });
  const blocking = await aVisit(clinic, { patient: jonas, at: "11:00" });
  await openDayOf(page, clinic);
  await openVisit(page, visit.ref);
  await drawer(page).getByRole("button", { name: "Set a new time" }).click();
  // Its own time does not block it, another visit does.
  await wishFor(page, clinic.tuesday, "10:10");
  await expect(drawer(page).getByText("10:10–10:40 is free", { exact: false })).toBeVisible();
  await wishFor(page, clinic.tuesday, "10:50");
  await expect(drawer(page).locator(".blk3 dl")).toContainText(`${jonas}, Consultation, 11:00–11:30`);
  await wishFor(page, clinic.tuesday, "14:00");
  await expect(drawer(page).getByRole("button", { name: "Move to 14:00" })).toBeVisible();

  const other = await anotherBrowser(browser, "onCallDesk");
  await openDayOf(other, clinic);
  await openVisit(other, blocking.ref);
  await drawer(other).getByRole("button", { name: "Set a new time" }).click();
  await wishFor(other, clinic.tuesday, "14:00");
  await drawer(other).getByRole("button", { name: "Move to 14:00" }).click();
  await expect(drawer(other).getByText("The new time is set.")).toBeVisible();

  await drawer(page).getByRole("button", { name: "Move to 14:00" }).click();
  await expect(drawer(page).getByRole("alert")).toContainText("Nothing was changed.");
  expect(await startOf(visit.ref)).toBe(visit.startsAt);

  // Now the other desk moves the very visit.
  await page.keyboard.press("Escape");
  await openVisit(page, visit.ref);
  await drawer(page).getByRole("button", { name: "Set a new time" }).click();
  await wishFor(page, clinic.tuesday, "15:00");
  await expect(drawer(page).getByRole("button", { name: "Move to 15:00" })).toBeVisible();
  await openDayOf(other, clinic);
  await openVisit(other, visit.ref);
  await drawer(other).getByRole("button", { name: "Set a new time" }).click();
  await wishFor(other, clinic.tuesday, "09:00");
  await drawer(other).getByRole("button", { name: "Move to 09:00" }).click();
  await expect(drawer(other).getByText("The new time is set.")).toBeVisible();
  await expect(drawer(page).getByRole("alert")).toContainText(/by another desk\. ?Moved: .* 09:00/);
  const move = drawer(page).getByRole("button", { name: "Move to 15:00" });
  await expect(move).toHaveAttribute("aria-disabled", "true");
  await expectNoAxeViolationInEitherTheme(page);
  await drawer(page).getByRole("button", { name: "Read again" }).click();
  await move.click();
  await expect(drawer(page).getByText("The new time is set.")).toBeVisible();
  await expect(drawer(page).getByText(/Moved: .* 09:00 → .* 15:00/)).toBeVisible();
});

test("a visit that another desk cancels stays open with its history, and offers nothing more", async ({ page, browser }) => {
  const marta = once("Marta Lindqvist");
  const clinic = await aClinic({ patients: [{ name: marta }] });
  const visit = await aVisit(clinic, { patient: marta, at: "10:00" });
  await openDayOf(page, clinic);
  await openVisit(page, visit.ref);
  const other = await anotherBrowser(browser, "onCallDesk");
  await openDayOf(other, clinic);
  await openVisit(other, visit.ref);
  await drawer(other).getByRole("button", { name: "Cancel visit" }).click();
  await drawer(other).getByLabel("Reason").selectOption({ label: "The clinic asked" });
  await drawer(other).getByRole("button", { name: "Cancel visit" }).last().click();
  await expect(drawer(page).getByRole("alert")).toContainText(/Changed at \d\d:\d\d by another desk\. ?Cancelled: Cancelled\./, {
    timeout: 60_000,
  });
  await expect(drawer(page).getByText("Cancelled, The clinic asked")).toBeVisible();
  await expect(drawer(page).getByRole("button", { name: "Mark as arrived" })).toHaveCount(0);
  expect(await openVisitRef(page)).toBe(visit.ref);
});

test("a change of state is taken back with one click, and the history says both", async ({ page }) => {
  const marta = once("Marta Lindqvist");
  const clinic = await aClinic({ zone: zoneAtNoon(), hours: allDay, patients: [{ name: marta }] });
  const visit = await aVisit(clinic, { patient: marta, at: "22:00", date: clinic.today });
  await openDayOf(page, clinic, { date: clinic.today });
  await openVisit(page, visit.ref);
  await drawer(page).getByRole("button", { name: "Mark as arrived" }).click();
  await drawer(page).getByRole("button", { name: "Undo", exact: true }).click();
  await expect.poll(() => statusOf(visit.ref)).toBe("CONFIRMED");
  await expect(drawer(page).getByText("Changed: Arrived")).toBeVisible();
  await expect(drawer(page).getByText("Changed: Booked, Wrong click")).toBeVisible();
  await expect(
    drawer(page)
      .getByText(/ST-\w+ · desk/)
      .first(),
  ).toBeVisible();
  await expect(drawer(page).getByRole("button", { name: "Undo", exact: true })).toHaveCount(0);
});

test("what is being booked stays while other days are looked at", async ({ page }) => {
  const marta = once("Marta Lindqvist");
  const clinic = await aClinic({ patients: [{ name: marta }] });
  await openDayOf(page, clinic);
  await startBookingFor(page, marta, "Consultation");
  await wishFor(page, clinic.tuesday, "12:00");
  const before = await countOfAppointments();
  await page.getByRole("button", { name: "Next day" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Wed");
  await expect(drawer(page).locator("form").getByText(marta, { exact: true })).toBeVisible();
  await expect(drawer(page).getByLabel("Wished start")).toHaveValue("12:00");
  await page.getByRole("button", { name: "Previous day" }).click();
  await expect(page.locator(".ap.new")).toContainText("12:00");
  expect(await countOfAppointments()).toBe(before);
});
