import { gzipSync } from "node:zlib";
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

test("nothing moves while a screen loads, but for the face of the letters", async ({ page }) => {
  const { commandId, ref } = await aCommand();
  await page.route(/\.woff2(\?|$)/, (route) => route.abort()); // one face of letters from the first paint to the last
  // what a browser counts as a shift of what was already drawn, but for what answers an input
  await page.addInitScript(() => {
    const shifts: string[] = [];
    Object.assign(window, { shifts });
    type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean; sources: { node: Element | null }[] };
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as Shift[])
        if (!entry.hadRecentInput && entry.value > 0.005)
          shifts.push(`${entry.value.toFixed(4)} ${entry.sources.map(({ node }) => node?.className || node?.nodeName).join(", ")}`);
    }).observe({ type: "layout-shift", buffered: true });
  });
  for (const [person, path] of [
    ["berlinDesk", "/desk"],
    ["staff", "/operations/delivery"],
    ["staff", `/operations/delivery?q=${ref}`],
    ["staff", `/operations/stories/${commandId}`],
  ] as const)
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 844 });
      await signedInAs(page, person);
      await page.goto(path, { waitUntil: "networkidle" });
      expect(await page.evaluate(() => (window as unknown as { shifts: string[] }).shifts), `${path} at ${width} px`).toEqual([]);
    }
});
