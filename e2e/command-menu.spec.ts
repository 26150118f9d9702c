import { lookAtRows } from "@/db/testing/e2e-world";
import { aCommand, type SentCommand } from "./preconditions/a-command";
import { inTheme, signedInAs, speaking } from "./preconditions/signed-in";
import { expectNoAxeViolation } from "./questions/accessibility";
import { expect, test } from "./support/test";

let command: SentCommand;
test.beforeAll(async () => {
  command = await aCommand();
});

test("Ctrl K finds a reference and goes to its story or its row, without a mouse", async ({ page }) => {
  await signedInAs(page, "staff");
  await page.goto("/operations/delivery");
  await page.keyboard.press("Control+k");
  const menu = page.getByRole("dialog", { name: "Find a reference" });
  await expect(menu.getByRole("combobox")).toBeFocused();
  await expect(menu.getByRole("option")).toHaveText(["Delivery", "Planning", "Stories", "Audit", "Drills"]);
  await page.keyboard.type(command.ref.toLowerCase());
  await expect(menu.getByRole("option").first()).toContainText("1 call, changed 1×, sent 1×");
  await expect(menu.getByRole("option").first()).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/operations/stories/${command.commandId}`));

  await page.keyboard.press("Control+k");
  await page.keyboard.type(command.key);
  await expect(menu.getByRole("option", { name: /daily-load-v1/ })).toBeVisible();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("complementary").getByRole("heading", { level: 2 })).toContainText(command.ref);
});

test("Enter that comes before the answer waits for it, and goes to nothing older", async ({ page }) => {
  await signedInAs(page, "staff");
  await page.goto("/operations/delivery");
  await page.keyboard.press("Control+k");
  await page.keyboard.type(command.ref);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/operations/stories/${command.commandId}`));
});

test("no match is said, Esc closes and gives the focus back", async ({ page }) => {
  await signedInAs(page, "staff");
  await page.goto("/operations/delivery");
  const opener = page.getByRole("button", { name: /^Find a reference/ }).first();
  await opener.focus();
  await page.keyboard.press("Enter");
  await page.keyboard.type("APT-NOBODY");
  await expect(page.getByText("No reference matches in your clinics.")).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(opener).toBeFocused();
});

test("a desk finds visits of its clinic by APT- and PT-, and nothing of operations", async ({ page }) => {
  const [visit] = await lookAtRows(
    ({ sql }) => sql<{ ref: string; patient_ref: string }[]>`
      select a.ref, p.ref as patient_ref from appointments a join patients p on p.id = a.patient_id where a.id = ${command.appointmentId}`,
  );
  await signedInAs(page, "berlinDesk");
  await page.goto(`/desk?clinic=${command.clinicRef}`);
  await page.keyboard.press("Control+k");
  const menu = page.getByRole("dialog", { name: "Find a reference" });
  await expect(menu.getByRole("option")).toHaveText(["Desk"]);
  await page.keyboard.type(visit?.patient_ref ?? "");
  await expect(menu.getByRole("option", { name: new RegExp(command.ref) })).toBeVisible();
  await menu.getByRole("combobox").fill(command.commandId);
  await expect(page.getByText("No reference matches in your clinics.")).toBeVisible();
  await menu.getByRole("combobox").fill(command.ref);
  await expect(menu.getByRole("option")).toHaveCount(1);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("complementary").getByRole("heading", { level: 2 })).toHaveText(command.ref);
});

test("a person of operations finds no visit by a patient", async ({ page }) => {
  const [visit] = await lookAtRows(
    ({ sql }) => sql<{ patient_ref: string }[]>`
      select p.ref as patient_ref from appointments a join patients p on p.id = a.patient_id where a.id = ${command.appointmentId}`,
  );
  await signedInAs(page, "staff");
  await page.goto("/operations/delivery");
  await page.keyboard.press("Control+k");
  await page.keyboard.type(visit?.patient_ref ?? "");
  await expect(page.getByText("No reference matches in your clinics.")).toBeVisible();
});

test("the list of keys names it; it speaks Korean, opens by touch and has no axe violation", async ({ page }) => {
  await signedInAs(page, "staff");
  await page.goto("/operations/delivery");
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keys" }).getByText("Find a reference")).toBeVisible();
  await page.keyboard.press("Escape");
  for (const theme of ["light", "dark"] as const) {
    await inTheme(page, theme);
    await page.reload();
    await page.keyboard.press("Control+k");
    await page.keyboard.type(command.ref);
    await expect(page.getByRole("option").first()).toContainText(command.ref);
    await expectNoAxeViolation(page);
    await page.keyboard.press("Escape");
  }
  await speaking(page, "ko");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/operations/delivery");
  await page.getByRole("button", { name: "참조 찾기" }).click();
  await page
    .getByRole("dialog", { name: /Find a reference|참조 찾기/ })
    .getByRole("combobox")
    .fill(command.ref);
  await expect(page.getByRole("option").first()).toContainText("호출 1회, 변경 1회, 발송 1건");
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
  await expectNoAxeViolation(page);
});
