import { readdirSync } from "node:fs";
import path from "node:path";
import type { Page } from "@playwright/test";
import { inTheme } from "./preconditions/signed-in";
import { expect, test } from "./support/test";

/**
 * Pictures of the components, one for each name on the page and one for each thing that floats: the only comparison of pixels there is. A changed component
 * changes one small picture. New pictures: npm run test:e2e -- design --update-snapshots=changed
 */
const themes = ["light", "dark"] as const;
/** Drawn below 768 px only, in place of something wide. */
const narrow = ["QueueCards", "PlanningCards", "Agenda"];
/** Long lists of words are compared in one theme: the colours in them are those of StateWord, AttemptsCell and Button. */
const inOneTheme = ["Dictionary", "QueueTable", "WorkerTable", "QueueCards", "PlanningTable", "PlanningCards"];
const fileOf = (part: string, theme: string) => `${part.replace(/\W+/g, "-")}-${theme}.png`;
const partsOf = (page: Page) =>
  page.locator("[data-part]").evaluateAll((all) => all.map((part) => (part as HTMLElement).dataset.part ?? ""));

/** What floats, or fills a page: drawn alone, each under an address of its own. */
const stagesOf = (page: Page) => page.locator('[data-part] a[href^="/design?open="]').allTextContents();

/** The page scrolls inside itself: all of it in sight at this width. */
async function openedWhole(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 1_000 });
  await page.goto("/design", { waitUntil: "networkidle" }); // glyphs come from a file of their own
  await page.evaluate(() => document.fonts.ready);
  await page.setViewportSize({
    width,
    height: await page
      .locator("main")
      .first()
      .evaluate((main) => main.scrollHeight),
  });
}

for (const theme of themes) {
  test(`every component looks as it did, in the ${theme} theme`, async ({ page }) => {
    await inTheme(page, theme);
    await openedWhole(page, 1440);
    const parts = (await partsOf(page)).filter((part) => theme === "light" || !inOneTheme.includes(part));
    expect(parts.length).toBeGreaterThan(30);
    const compare = (part: string) => expect.soft(page.locator(`[data-part="${part}"]`)).toHaveScreenshot(fileOf(part, theme));
    for (const part of parts.filter((one) => !narrow.includes(one))) await compare(part);
    await openedWhole(page, 390);
    for (const part of parts.filter((one) => narrow.includes(one))) await compare(part);
  });

  test(`what floats looks as it did, in the ${theme} theme`, async ({ page }) => {
    await inTheme(page, theme);
    await page.setViewportSize({ width: 800, height: 860 });
    await page.goto("/design");
    const names = await stagesOf(page);
    expect(names.length).toBeGreaterThan(15);
    for (const name of names) {
      await page.goto(`/design?open=${name}`, { waitUntil: "networkidle" });
      await page.evaluate(() => document.fonts.ready);
      await expect.soft(page.getByRole(roleOf(name)).first(), name).toBeVisible();
      await expect.soft(page).toHaveScreenshot(fileOf(`open-${name}`, theme));
    }
  });
}

test("every picture is of something that is still there", async ({ page }) => {
  await page.goto("/design");
  const parts = [...(await partsOf(page)), ...(await stagesOf(page)).map((name) => `open-${name}`)];
  const files = parts.flatMap((part) =>
    themes.filter((theme) => theme === "light" || !inOneTheme.includes(part)).map((theme) => fileOf(part, theme)),
  );
  expect(readdirSync(path.join(import.meta.dirname, "pictures")).sort()).toEqual(files.sort());
});

function roleOf(name: string): "menu" | "dialog" | "complementary" | "main" {
  if (name.startsWith("menu")) return "menu";
  if (name.startsWith("dialog") || name.startsWith("find")) return "dialog";
  return name.startsWith("booking") || name.startsWith("evidence") ? "complementary" : "main";
}
