import type { Page } from "@playwright/test";
import { changingQueue, removeStoppedRows, stoppedRows } from "./preconditions/a-busy-queue";
import { aCommand, type SentCommand } from "./preconditions/a-command";
import { signedInAs } from "./preconditions/signed-in";
import { expect, test } from "./support/test";

let command: SentCommand;
test.beforeAll(async () => {
  command = await aCommand();
  await stoppedRows(command, 12);
});
test.afterAll(removeStoppedRows);
test.beforeEach(({ page }) => signedInAs(page, "staff"));

const openRow = (page: Page) => new URL(page.url()).searchParams.get("row");

test("O-C thirty clicks while the queue changes five times a second hit the row that was under the pointer", async ({ page }) => {
  test.setTimeout(120_000);
  await page.setViewportSize({ width: 1440, height: 1200 }); // twelve rows in sight
  await page.goto("/operations/delivery?view=decision");
  const rows = page.locator("tr[data-row]");
  await expect(rows.nth(11)).toBeAttached();
  const order = await rows.evaluateAll((all) => all.map((row) => (row as HTMLElement).dataset.row));
  const queue = changingQueue(command, 5);
  let wrong = 0;
  try {
    for (let click = 0; click < 30; click++) {
      const button = rows.nth((click * 5) % 12).getByRole("button");
      const box = await button.boundingBox();
      if (!box) throw new Error("the action is not drawn");
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      await page.mouse.move(x, y);
      const aimed = await page.evaluate(
        ([px, py]) => document.elementFromPoint(px as number, py as number)?.closest<HTMLElement>("tr[data-row]")?.dataset.row,
        [x, y],
      );
      expect(aimed).toBeDefined();
      await page.waitForTimeout(150 + (click % 5) * 60); // a person looks before the press
      const before = openRow(page);
      await page.mouse.click(x, y);
      await expect.poll(() => openRow(page)).not.toBe(before); // every click aims at another row than the one before
      if (openRow(page) !== aimed) wrong += 1;
    }
  } finally {
    expect(await queue.stop()).toBeGreaterThan(30);
  }
  expect(wrong).toBe(0);
  expect((await rows.evaluateAll((all) => all.map((row) => (row as HTMLElement).dataset.row))).slice(0, 12)).toEqual(order.slice(0, 12));
  await expect(page.getByRole("button", { name: /new rows?$/ })).toBeVisible();
  await expect(page.getByText(/^Paused while you read/)).toBeVisible();
});

for (const width of [1440, 1024, 768, 390])
  test(`the keyboard alone triages at ${width} px while the queue changes: the focus stays on its row`, async ({ page }) => {
    await page.setViewportSize({ width, height: 844 });
    await page.goto("/operations/delivery?view=decision");
    const rows = page.locator(width < 768 ? "article[data-row]" : "tr[data-row]"); // a card stands for its row
    await expect(rows.nth(5)).toBeVisible();
    const queue = changingQueue(command, 5);
    try {
      for (const key of ["j", "j", "j", "k"]) await page.keyboard.press(key);
      const focused = () => page.evaluate(() => document.activeElement?.closest<HTMLElement>("[data-row]")?.dataset.row);
      const row = await focused();
      expect(row).toBe(await rows.nth(1).getAttribute("data-row"));
      await page.waitForTimeout(6_000); // one read of the head, thirty changes
      expect(await focused()).toBe(row);
      await page.keyboard.press("Enter");
      const heading = page.getByRole("complementary").getByRole("heading", { level: 2 });
      await expect(heading).toBeFocused();
      expect(new URL(page.url()).searchParams.get("row")).toBe(row);
      await page.keyboard.press("j");
      await expect(page).toHaveURL(new RegExp(`row=${await rows.nth(2).getAttribute("data-row")}`));
      await page.keyboard.press("Escape");
      await expect(page.getByRole("complementary")).toHaveCount(0);
      await expect.poll(focused).toBe(await rows.nth(2).getAttribute("data-row"));
    } finally {
      await queue.stop();
    }
  });

test("without a network the screen says so and keeps what it shows; back again it goes on", async ({ page, context }) => {
  await page.goto("/operations/delivery?view=decision");
  await expect(page.locator("tr[data-row]").first()).toBeAttached();
  await expect(page.getByText(/^(Live|Paused)/)).toBeVisible();
  await context.setOffline(true);
  await expect(page.getByText(/^Offline · showing \d\d:\d\d:\d\d/)).toBeVisible();
  await expect(page.locator("tr[data-row]").first()).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByText(/^(Live|Paused)/)).toBeVisible();
});
