import { gzipSync } from "node:zlib";
import type { Page } from "@playwright/test";
import { aCommand } from "./preconditions/a-command";
import { signedInAs } from "./preconditions/signed-in";
import { expect, test } from "./support/test";

const scriptBytesMax = 250 * 1024;

test("a browser loads at most 250 KB of script, gzip, for each screen", async ({ page }) => {
  const { commandId } = await aCommand();
  const weights: Record<string, number> = {};
  for (const [person, path] of [
    ["berlinDesk", "/desk"],
    ["berlinDesk", "/desk?view=week"],
    ["staff", "/operations/delivery"],
    ["staff", "/operations/stories"],
    ["staff", `/operations/stories/${commandId}`],
  ] as const) {
    await signedInAs(page, person);
    await page.goto("about:blank");
    const scripts: Promise<Buffer>[] = [];
    const count = (response: import("@playwright/test").Response) => {
      if (response.request().resourceType() === "script") scripts.push(response.body());
    };
    page.on("response", count);
    await page.goto(path, { waitUntil: "networkidle" });
    page.off("response", count);
    const bytes = (await Promise.all(scripts)).map((body) => gzipSync(body).length);
    expect(bytes.length, path).toBeGreaterThan(3);
    weights[path.replace(commandId, "…")] = bytes.reduce((sum, one) => sum + one, 0);
  }
  console.log(
    `script, gzip: ${Object.entries(weights)
      .map(([path, bytes]) => `${path} ${(bytes / 1024).toFixed(0)} KB`)
      .join(", ")}`,
  );
  for (const [path, bytes] of Object.entries(weights)) expect(bytes, path).toBeLessThanOrEqual(scriptBytesMax);
});

/** What a browser counts as a shift of what was already drawn, but for what answers an input. */
async function countsShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shifts: [value: number, of: string][] = [];
    Object.assign(window, { shifts });
    type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean; sources: { node: Element | null }[] };
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as Shift[])
        if (!entry.hadRecentInput)
          shifts.push([entry.value, entry.sources.map(({ node }) => node?.className || node?.nodeName).join(", ")]);
    }).observe({ type: "layout-shift", buffered: true });
  });
}
const shiftsOf = (page: Page) => page.evaluate(() => (window as unknown as { shifts: [value: number, of: string][] }).shifts);
const isInterThere = (page: Page) =>
  page.evaluate(() => [...document.fonts].some((face) => face.family.includes("Inter Variable") && face.status === "loaded"));

const fonts = /\.woff2(\?|$)/;

/** Fonts stay on their way until the screen stands in the letters of this machine; then they come, and every letter changes. */
async function openedBeforeItsFonts(page: Page, path: string): Promise<void> {
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(fonts, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(path, { waitUntil: "domcontentloaded" }); // a font that is on its way holds back `load`
  await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
  await expect(page.locator("main").first()).toBeVisible();
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
  expect(await isInterThere(page), "the face is on its way").toBe(false);
  letGo();
  await page.waitForLoadState("networkidle");
  await page.evaluate(() => document.fonts.ready);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  expect(await isInterThere(page), "the face has come").toBe(true);
  await page.unroute(fonts);
}

const screensOf = ({ commandId, ref }: Awaited<ReturnType<typeof aCommand>>) =>
  [
    ["berlinDesk", "/desk"],
    ["staff", "/operations/delivery"],
    ["staff", `/operations/delivery?q=${ref}`],
    ["staff", `/operations/stories/${commandId}`],
  ] as const;

/** Less than this is a word that stands a few pixels further to the side; a line that wraps differently is ten times as much. */
const shiftMost = 0.002;

test("nothing moves while a screen loads, nor when its letters come", async ({ page }) => {
  const screens = screensOf(await aCommand());
  await countsShifts(page);
  for (const [person, path] of screens)
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 844 });
      await signedInAs(page, person);
      await openedBeforeItsFonts(page, path);
      const shifts = await shiftsOf(page);
      console.log(`${path} ${width} ${JSON.stringify(shifts)}`);
      expect(
        shifts.filter(([value]) => value > shiftMost),
        `${path} at ${width} px`,
      ).toEqual([]);
    }
});

test("the same letters of this machine in their own measure would move what stands there", async ({ page }) => {
  const screens = screensOf(await aCommand());
  await countsShifts(page);
  await page.route(/\.css(\?|$)/, async (route) => {
    const response = await route.fetch();
    const body = await response.text();
    await route.fulfill({ response, body: body.replace(/(size-adjust|(ascent|descent|line-gap)-override):[^;}]+;?/g, "") });
  });
  const worst: number[] = [];
  for (const [person, path] of screens) {
    await page.setViewportSize({ width: 390, height: 844 });
    await signedInAs(page, person);
    await openedBeforeItsFonts(page, path);
    const shifts = await shiftsOf(page);
    console.log(`without ${path} ${JSON.stringify(shifts)}`);
    worst.push(...shifts.map(([value]) => value));
  }
  expect(Math.max(...worst)).toBeGreaterThan(shiftMost);
});
