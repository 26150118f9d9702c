import type { Page } from "@playwright/test";

/** Longer than a slow machine needs; a page that never gets its script (held back by a test) is looked at as it is. */
const patienceMs = 15_000;

/**
 * Waits until the page's script answers keys and clicks: React keeps a note on every element that it has taken over from the server's markup,
 * and a key pressed before that is lost, as it is for a person who is faster than the network.
 */
export async function untilTakenOver(page: Page): Promise<void> {
  await page
    .waitForFunction(
      () =>
        [...document.querySelectorAll("main, button, a, input:not([type=hidden]), select, textarea, tr[data-row]")].every((element) =>
          Object.keys(element).some((key) => key.startsWith("__reactFiber")),
        ),
      undefined,
      { timeout: patienceMs },
    )
    .catch(() => undefined);
  // the note is there before the listeners of the whole page are: they come once the page has nothing else to do
  const idle = page.evaluate(() => new Promise<void>((resolve) => requestIdleCallback(() => resolve(), { timeout: 2_000 })));
  await Promise.race([idle.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, 3_000))]);
}
