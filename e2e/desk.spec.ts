import {
  choosePatient,
  chooseTime,
  chooseTreatment,
  confirmBooking,
  drawer,
  fillBooking,
  openDesk,
  openVisitRef,
  showAllTimes,
  startBooking,
  times,
} from "./actions/desk";
import { anotherBrowser, signedInAs } from "./preconditions/signed-in";
import { countOfAppointments, recordsOf, statusOf } from "./questions/records";
import { expect, test } from "./support/test";

test.beforeEach(async ({ page }) => {
  await signedInAs(page, "berlinDesk");
});

test("a visit is booked and stands in the calendar of its doctor", async ({ page }) => {
  await fillBooking(page, { time: 4 });
  await confirmBooking(page);
  const ref = await openVisitRef(page);
  await expect(drawer(page).getByText("Booked.", { exact: true })).toBeVisible();
  await expect(page.locator("[data-visit]", { hasText: ref }).first()).toContainText("Booked");
  expect(await statusOf(ref)).toBe("CONFIRMED");
  expect(await recordsOf(ref)).toMatchObject({ calls: ["FIRST"], changes: 1 });
  // the log's consumer has counted it too, and says as of when
  await expect(page.getByText(/^From events as of \d\d:\d\d: [1-9]\d* booked, \d+ arrived, \d+ done, \d+ no show$/)).toBeVisible({
    timeout: 60_000,
  });
});

test("the keyboard alone books a visit", async ({ page }) => {
  await openDesk(page);
  await page.keyboard.press("n");
  await expect(drawer(page).getByRole("textbox", { name: /^Patient/ })).toBeFocused();
  await page.keyboard.type("reiher");
  await expect(drawer(page).getByRole("button", { name: /PT-/ }).first()).toBeVisible();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await drawer(page).getByLabel("Treatment").focus();
  await page.keyboard.type("Follow");
  await expect(times(page).first()).toBeVisible();
  await times(page).first().getByRole("radio").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Tab");
  await drawer(page)
    .getByRole("button", { name: /^Book \d/ })
    .focus();
  await page.keyboard.press("Enter");
  await openVisitRef(page);
  await page.keyboard.press("Escape");
  await expect(drawer(page)).toHaveCount(0);
});

test("each empty field is named and nothing is sent", async ({ page }) => {
  await openDesk(page);
  await startBooking(page);
  const before = await countOfAppointments();
  await confirmBooking(page);
  for (const message of ["Choose a patient or add one.", "Choose a treatment.", "Choose a free time."]) {
    await expect(drawer(page).getByText(message)).toBeVisible();
  }
  await drawer(page).getByLabel("Wished day").fill("");
  await confirmBooking(page);
  await expect(drawer(page).getByText("Enter a day.")).toBeVisible();
  expect(await countOfAppointments()).toBe(before);
});

test("a new patient is added, each wrong field is named, and a likely duplicate is asked about first", async ({ page }) => {
  await openDesk(page);
  await startBooking(page);
  await drawer(page).getByRole("button", { name: "New patient" }).click();
  const form = drawer(page).getByRole("region", { name: "New patient" });
  const birthDate = form.getByLabel("Birth date");
  const noSuchDate = form.getByText("Enter a date that exists.");
  await birthDate.fill("19840-03-12"); // a digit too many
  await form.getByLabel("Phone").fill("12");
  await form.getByLabel("Email").fill("not an address");
  await form.getByRole("button", { name: "Add patient" }).click();
  await expect(form.getByText("Enter a name of at most 120 characters.")).toBeVisible();
  await expect(form.getByText("At least 5 digits", { exact: false })).toBeVisible();
  await expect(form.getByText("Enter an email address, or leave it empty.")).toBeVisible();
  await expect(noSuchDate).toBeVisible();
  await expect(birthDate).toHaveAccessibleDescription("Enter a date that exists.");
  await birthDate.fill("1984-03-12");
  await form.getByRole("button", { name: "Add patient" }).click();
  await expect(noSuchDate).toHaveCount(0);
  // Half a date has no value, and is not the same as none.
  await birthDate.press("Backspace");
  await expect(birthDate).toHaveValue("");
  await form.getByRole("button", { name: "Add patient" }).click();
  await expect(noSuchDate).toBeVisible();
  await birthDate.fill("1984-03-12");

  const phone = `+49 170 ${Date.now() % 10_000_000}`;
  const add = async (name: string) => {
    await form.getByLabel("Name").fill(name);
    await form.getByLabel("Phone").fill(phone);
    await form.getByLabel("Email").fill("");
    await form.getByRole("button", { name: "Add patient" }).click();
  };
  await add("Zoë Testkamp");
  await expect(drawer(page).getByText("Zoë Testkamp")).toBeVisible();
  await drawer(page).getByRole("button", { name: "Change" }).click();
  await drawer(page).getByRole("button", { name: "New patient" }).click();
  await add("Zoe Testkamp");
  await expect(form.getByText("Likely the same person:", { exact: false })).toBeVisible();
  await form.getByRole("button", { name: "It is somebody else: add" }).click();
  await expect(drawer(page).getByText("Zoe Testkamp")).toBeVisible();
});

test("a time that somebody else took is refused by name, and the form stays as it was", async ({ page, browser }) => {
  const mine = await fillBooking(page, { time: 5 });
  const other = await anotherBrowser(browser, "berlinDesk");
  await openDesk(other);
  await startBooking(other);
  await choosePatient(other, "mohn");
  await chooseTreatment(other, "Follow-up");
  await showAllTimes(other);
  // Every doctor that could take it is taken: the same instant is booked until it is no longer offered.
  for (let round = 0; round < 6; round++) {
    await expect(times(other).first()).toBeVisible();
    const slot = times(other).filter({ has: other.locator(`input[value="${mine}"]`) });
    if ((await slot.count()) === 0) break;
    await slot.click();
    await confirmBooking(other);
    await openVisitRef(other);
    await startBooking(other);
    await choosePatient(other, "mohn", round + 1);
    await chooseTreatment(other, "Follow-up");
    await showAllTimes(other);
  }
  const before = await countOfAppointments();
  await confirmBooking(page);
  const alert = drawer(page).getByRole("alert");
  await expect(alert).toContainText(/The time (was taken meanwhile|cannot be booked)\./);
  await expect(alert).toContainText("Nothing was changed.");
  await expect(drawer(page).locator(`input[value="${mine}"]`)).toHaveCount(0);
  await expect(drawer(page).getByRole("button", { name: "Change" })).toBeVisible();
  expect(await countOfAppointments()).toBe(before);
  // The next try is a new command with a new key.
  await chooseTime(page, 0);
  await confirmBooking(page);
  await openVisitRef(page);
});

test("a visit is cancelled with a reason, and its history says who and why", async ({ page }) => {
  await fillBooking(page, { patient: "kiesel", time: 3 });
  await confirmBooking(page);
  const ref = await openVisitRef(page);
  await drawer(page).getByRole("button", { name: "Cancel visit" }).click();
  await drawer(page).getByRole("button", { name: "Cancel visit" }).last().click();
  await expect(drawer(page).getByText("Choose a reason.")).toBeVisible();
  await drawer(page).getByLabel("Reason").selectOption({ label: "The patient asked" });
  await drawer(page).getByRole("button", { name: "Cancel visit" }).last().click();
  await expect.poll(() => statusOf(ref)).toBe("CANCELLED");
  await expect(page.locator("[data-visit]", { hasText: ref })).toHaveCount(0);
});

test("what may not be done yet stays in sight with its reason", async ({ page }) => {
  await openDesk(page);
  await startBooking(page);
  await choosePatient(page, "sperling");
  await chooseTreatment(page, "Follow-up");
  const inAWeek = new Date(Date.now() + 8 * 86_400_000).toISOString().slice(0, 10);
  await drawer(page).getByLabel("Wished day").fill(inAWeek);
  await chooseTime(page, 0);
  await confirmBooking(page);
  await openVisitRef(page);
  const arrived = drawer(page).getByRole("button", { name: "Mark as arrived" });
  await expect(arrived).toHaveAttribute("aria-disabled", "true");
  await expect(arrived).toHaveAccessibleDescription("Mark as arrived is off: it is not the day of the visit.");
});

test("a visit gets a new time and keeps its identity", async ({ page }) => {
  await fillBooking(page, { patient: "taube", time: 2 });
  await confirmBooking(page);
  const ref = await openVisitRef(page);
  await drawer(page).getByRole("button", { name: "Set a new time" }).click();
  await expect(drawer(page).getByRole("heading", { name: `New time for ${ref}` })).toBeVisible();
  await expect(times(page).first()).toBeVisible();
  await chooseTime(page, (await times(page).count()) - 1);
  await drawer(page)
    .getByRole("button", { name: /^Move to/ })
    .click();
  await expect(drawer(page).getByText("The new time is set.")).toBeVisible();
  expect(await openVisitRef(page)).toBe(ref);
  await expect(drawer(page).getByText("Moved", { exact: false }).first()).toBeVisible();
  await expect(page.locator(".ap.new"), "nothing is being chosen any more").toHaveCount(0);
  await startBooking(page);
  await expect(drawer(page).getByRole("textbox", { name: /^Patient/ }), "a new visit begins with nobody's name").toHaveValue("");
});

test("what is typed for a new visit stays while another one gets a new time", async ({ page }) => {
  await fillBooking(page, { patient: "taube", time: 2 });
  await confirmBooking(page);
  const ref = await openVisitRef(page);
  await startBooking(page);
  await choosePatient(page, "sperling");
  await page.keyboard.press("Escape");
  await page.locator("[data-visit]:visible", { hasText: ref }).first().click();
  await drawer(page).getByRole("button", { name: "Set a new time" }).click();
  await expect(times(page).first()).toBeVisible();
  await chooseTime(page, 0);
  await expect(drawer(page).getByText(/^You are moving .* to /)).toBeVisible();
  await drawer(page).getByRole("button", { name: "Keep the old time" }).click();
  await startBooking(page);
  await expect(drawer(page).getByText("Sperling", { exact: false }).first()).toBeVisible();
});
