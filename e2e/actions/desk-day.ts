import { expect, type Locator, type Page } from "@playwright/test";
import type { OwnClinic } from "../preconditions/a-clinic";
import { choosePatient, chooseTreatment, drawer, startBooking } from "./desk";

/** Opens a day of a test's own clinic; its Tuesday unless said. */
export async function openDayOf(page: Page, clinic: OwnClinic, more: { date?: string; view?: "week" } = {}): Promise<void> {
  const view = more.view ? `&view=${more.view}` : "";
  await page.goto(`/desk?clinic=${clinic.ref}&date=${more.date ?? clinic.tuesday}${view}`);
  await expect(page.getByRole("button", { name: "New appointment" })).toBeVisible();
}

/** Opens a visit of the shown day by its reference. */
export async function openVisit(page: Page, ref: string): Promise<void> {
  await page.locator(".calwrap [data-visit]", { hasText: ref }).click();
  await expect(drawer(page).getByRole("heading", { level: 2 })).toHaveText(ref);
}

/** Opens the booking drawer with somebody and a treatment chosen. */
export async function startBookingFor(page: Page, patient: string, treatment: string): Promise<void> {
  await startBooking(page);
  await choosePatient(page, patient);
  await chooseTreatment(page, treatment);
}

export async function wishFor(page: Page, date: string, clock: string): Promise<void> {
  await drawer(page).getByLabel("Wished day").fill(date);
  await drawer(page).getByLabel("Wished start").fill(clock);
}

/** Presses Tab until something has the focus. */
export async function tabTo(page: Page, target: Locator, timesMax = 40): Promise<void> {
  for (let n = 0; n < timesMax; n++) {
    if (await target.evaluate((element) => element === document.activeElement).catch(() => false)) return;
    await page.keyboard.press("Tab");
  }
  await expect(target).toBeFocused();
}
