import { inTheme } from "./preconditions/signed-in";
import { expect, test } from "./support/test";

/**
 * Pictures of the components, one for each name on the page: the only comparison of pixels there is. A changed component changes one small picture.
 * New pictures: npm run test:e2e -- design --update-snapshots
 */
const wide = [
  "Dictionary",
  "Button",
  "StateWord",
  "Tile",
  "LiveIndicator",
  "EmptyState, SkeletonRows",
  "Notice, NotRead",
  "Field, SelectField, SegmentedControl",
  "KeyValueList, AttemptsCell, KeyHint",
  "Menu, Dialog",
  "VisitBlock",
  "ChosenTime, CalendarBlocks",
  "DayCounts",
  "PatientMatch",
  "BlockerList, ChangedElsewhere",
  "SafeRetry",
  "Rail, TopBar",
  "StoryGraph",
  "QueueTable",
  "WorkerTable",
];
const lists = ["Dictionary", "QueueTable", "WorkerTable", "QueueCards"];
const fileOf = (part: string, theme: string) => `${part.replace(/\W+/g, "-")}-${theme}.png`;

for (const theme of ["light", "dark"] as const)
  test(`every component looks as it did, in the ${theme} theme`, async ({ page }) => {
    await inTheme(page, theme);
    await page.setViewportSize({ width: 1440, height: 6_000 }); // the page scrolls inside itself: all of it in sight
    await page.goto("/design", { waitUntil: "networkidle" }); // glyphs come from a file of their own
    await page.evaluate(() => document.fonts.ready);
    const parts = page.locator("[data-part]");
    expect(await parts.evaluateAll((all) => all.map((part) => (part as HTMLElement).dataset.part))).toEqual([...wide, "QueueCards"]);
    // long lists of words are compared in one theme: the colours in them are those of StateWord, AttemptsCell and Button
    const isShown = (part: string) => theme === "light" || !lists.includes(part);
    for (const part of wide.filter(isShown)) await expect.soft(page.locator(`[data-part="${part}"]`)).toHaveScreenshot(fileOf(part, theme));
    if (!isShown("QueueCards")) return;
    await page.setViewportSize({ width: 390, height: 9_600 });
    await expect(page.locator('[data-part="QueueCards"]')).toHaveScreenshot(fileOf("QueueCards", theme));
  });
