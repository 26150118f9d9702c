import type { Page } from "@playwright/test";

/** What this page reads of plans stands still from now on, as on a slow line: it decides by what it saw. Answers how to let it read again. */
export async function planningStandsStill(page: Page): Promise<() => Promise<void>> {
  const readings = /\/api\/trpc\/[^?]*planningViews/;
  await page.route(readings, (route) => route.abort());
  return () => page.unroute(readings);
}
