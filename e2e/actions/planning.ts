import { expect, type Locator, type Page } from "@playwright/test";
import type { OwnClinic } from "../preconditions/a-clinic";
import { drawer } from "./desk";

/** Opens the planning screen of a test's own clinic. */
export async function openPlanning(page: Page, clinic: OwnClinic, more = ""): Promise<void> {
  await page.goto(`/operations/planning?clinic=${clinic.ref}${more}`);
  await expect(page.getByRole("heading", { level: 1, name: "Planning" })).toBeVisible();
}

/** Shows the plans whose dates meet these days. */
export async function chooseDays(page: Page, from: string, until: string): Promise<void> {
  await page.getByRole("button", { name: /^Days/ }).click();
  await page.getByRole("menuitem", { name: "Choose days…" }).click();
  const dialog = page.getByRole("dialog", { name: "Choose days…" });
  await dialog.getByLabel("First day").fill(from);
  await dialog.getByLabel("Last day").fill(until);
  await dialog.getByRole("button", { name: "Show" }).click();
}

export const runRow = (page: Page, ref: string): Locator => page.locator("tr[data-row]", { hasText: ref });
export const panel = (page: Page): Locator => page.getByRole("complementary");

/** Opens the row of a run and waits for its evidence. */
export async function openRun(page: Page, ref: string): Promise<void> {
  await runRow(page, ref).click();
  await expect(panel(page).getByRole("heading", { level: 2 })).toContainText(ref);
  await expect(panel(page).getByRole("heading", { name: "Five questions" })).toBeVisible();
}

/** The desk enters an absence in a doctor's column, up to the list of visits that it affects: nothing is saved yet. */
export async function enterAbsence(page: Page, doctor: string, period: { from: string; until: string }): Promise<void> {
  await page.getByRole("button", { name: `Absences, closures and more of ${doctor}` }).click();
  await page.getByRole("menuitem", { name: "Add an absence" }).click();
  await drawer(page).getByLabel("From, time").fill(period.from);
  await drawer(page).getByLabel("To, time").fill(period.until);
  await drawer(page).getByRole("button", { name: "See affected visits" }).click();
  await expect(drawer(page).getByRole("region", { name: "Affected visits" })).toBeVisible();
}

export async function saveFact(page: Page): Promise<void> {
  await drawer(page).getByRole("button", { name: /^Save/ }).click();
  await expect(drawer(page).getByText("Saved. No visit was moved.")).toBeVisible();
}

/** Asks for new times for the affected visits and follows the calculation to its end. Answers the run's reference. */
export async function findNewTimes(page: Page): Promise<string> {
  const part = drawer(page).getByRole("region", { name: "Find new times" });
  await part.getByRole("button", { name: "Find new times" }).click();
  await expect(part.getByRole("heading", { level: 3 })).toContainText(/SOL-/);
  const ref = /SOL-[0-9A-Z]{6}/.exec((await part.getByRole("heading", { level: 3 }).textContent()) ?? "")?.[0] ?? "";
  await expect(part.getByRole("heading", { level: 3 })).toContainText("Ready to apply");
  return ref;
}

/** Opens the confirm of an act of the open run; its main button has the focus. */
export async function openConfirm(page: Page, act: string, confirm: RegExp): Promise<Locator> {
  await panel(page).locator(".act").getByRole("button", { name: act, exact: true }).first().click();
  const button = panel(page).locator("#confirm").getByRole("button", { name: confirm });
  await expect(button).toBeFocused();
  return button;
}
