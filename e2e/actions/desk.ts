import { expect, type Page } from "@playwright/test";

/** Opens the desk on the next working day that is far enough for free times. */
export async function openDesk(page: Page): Promise<void> {
  await page.goto("/desk");
  await expect(page.getByRole("button", { name: "New appointment" })).toBeVisible();
}

export const drawer = (page: Page) => page.getByRole("complementary");

export async function startBooking(page: Page): Promise<void> {
  await page.getByRole("button", { name: "New appointment" }).click();
  await expect(drawer(page).getByRole("heading", { name: "New appointment" })).toBeVisible();
}

/** Finds people by part of a name and takes the n-th. */
export async function choosePatient(page: Page, partOfName: string, nth = 0): Promise<void> {
  await drawer(page)
    .getByRole("textbox", { name: /^Patient/ })
    .fill(partOfName);
  const match = drawer(page).getByRole("region", { name: "Matching patients" }).getByRole("button", { name: /PT-/ }).nth(nth);
  await match.click();
  await expect(drawer(page).getByRole("button", { name: "Change" })).toBeVisible();
}

export async function chooseTreatment(page: Page, name: string): Promise<void> {
  const select = drawer(page).getByLabel("Treatment");
  const value = await select.locator("option", { hasText: name }).first().getAttribute("value");
  await select.selectOption(value);
}

/** One of the few doctors that stand beside each other; the radio itself is drawn by its label. */
export async function chooseDoctor(page: Page, name: string): Promise<void> {
  const doctor = drawer(page).getByRole("radiogroup", { name: "Doctor" }).getByRole("radio", { name, exact: true });
  await doctor.check({ force: true });
  await expect(doctor).toBeChecked();
}

/** Free times that are offered; the radio itself is drawn by its label. */
export const times = (page: Page) => drawer(page).getByRole("radiogroup", { name: "Free times" }).locator("label");

/** Every free time of the shown days, not only the suggested ones. */
export async function showAllTimes(page: Page): Promise<void> {
  await drawer(page)
    .getByRole("button", { name: /^Show all \d+ free times/ })
    .click();
}

/** Takes the n-th free time; returns its instant. In the evening, when today has none left, fewer are suggested. */
export async function chooseTime(page: Page, nth = 0): Promise<string> {
  await expect(times(page).first()).toBeVisible();
  if ((await times(page).count()) <= nth) await showAllTimes(page);
  const slot = times(page).nth(nth);
  await slot.click();
  await expect(slot.getByRole("radio")).toBeChecked();
  return slot.getByRole("radio").inputValue();
}

export async function confirmBooking(page: Page): Promise<void> {
  await drawer(page).getByRole("button", { name: /^Book/ }).click();
}

/** Fills the whole form for somebody, up to the moment before sending. */
export async function fillBooking(page: Page, { patient = "birke", nth = 0, time = 0 } = {}): Promise<string> {
  await openDesk(page);
  await startBooking(page);
  await choosePatient(page, patient, nth);
  await chooseTreatment(page, "Follow-up");
  return chooseTime(page, time);
}

/** Reference of the visit that is open beside the calendar. */
export async function openVisitRef(page: Page): Promise<string> {
  const heading = drawer(page).getByRole("heading", { level: 2 });
  await expect(heading).toHaveText(/^APT-/);
  return (await heading.textContent()) ?? "";
}
