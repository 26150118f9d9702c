import { type BrowserContext, test as base, expect, type Page } from "@playwright/test";
import { routesForSure } from "./routed";
import { untilTakenOver } from "./taken-over";

/** What a test breaks on purpose shows up in the console; everything else there fails the test. */
const expected = [
  /net::ERR_(FAILED|CONNECTION|INTERNET|ABORTED)/,
  /Failed to load resource: the server responded with a status of (401|403|404|409|422|429)/,
];

/** A page that is opened or read again is one that answers keys. */
function opensTakenOver(page: Page): void {
  const [goto, reload] = [page.goto.bind(page), page.reload.bind(page)];
  const andTakenOver = async (opened: ReturnType<Page["goto"]>) => {
    const response = await opened;
    await untilTakenOver(page);
    return response;
  };
  page.goto = (...args) => andTakenOver(goto(...args));
  page.reload = (...args) => andTakenOver(reload(...args));
}

/** Every browser of a test, the second desk beside the first one too: what its pages say is heard, and what it opens answers keys. */
function watcher(said: string[]) {
  const watched = new Set<BrowserContext>();
  const watch = (context: BrowserContext, runsScript: boolean) => {
    if (watched.has(context)) return;
    watched.add(context);
    if (runsScript) context.on("page", opensTakenOver);
    context.on("page", routesForSure);
    context.on("console", (message) => {
      if (["error", "warning"].includes(message.type()) && !expected.some((pattern) => pattern.test(message.text())))
        said.push(message.text());
    });
    context.on("weberror", (error) => said.push(error.error().message));
  };
  return { watched, watch };
}

/** Playwright's test, in which no page of any browser may write an error or a warning to its console. */
export const test = base.extend<{ heard: string[] }>({
  /** Errors and warnings of every console so far; what is left of them at the end fails the test. */
  heard: [
    async ({ browser, context, javaScriptEnabled }, use) => {
      const said: string[] = [];
      const { watched, watch } = watcher(said);
      const runsScript = javaScriptEnabled !== false;
      watch(context, runsScript);
      const newContext = browser.newContext;
      browser.newContext = async (options) => {
        const made = await newContext.call(browser, options);
        watch(made, (options?.javaScriptEnabled ?? runsScript) !== false);
        return made;
      };
      await use(said);
      browser.newContext = newContext;
      for (const made of watched) if (made !== context) await made.close(); // else it would read on through the tests after this one
      expect(said, "console errors and warnings").toEqual([]);
    },
    { auto: true },
  ],
});
export { expect };
