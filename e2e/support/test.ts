import { test as base, expect, type Page } from "@playwright/test";
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

/** Playwright's test, in which no page may write an error or a warning to its console. */
export const test = base.extend<{ quietConsole: undefined; takenOver: undefined }>({
  takenOver: [
    async ({ context, javaScriptEnabled }, use) => {
      if (javaScriptEnabled !== false) context.on("page", opensTakenOver);
      await use(undefined);
    },
    { auto: true },
  ],
  quietConsole: [
    async ({ context }, use) => {
      const said: string[] = [];
      context.on("console", (message) => {
        if (["error", "warning"].includes(message.type()) && !expected.some((pattern) => pattern.test(message.text())))
          said.push(message.text());
      });
      context.on("weberror", (error) => said.push(error.error().message));
      await use(undefined);
      expect(said, "console errors and warnings").toEqual([]);
    },
    { auto: true },
  ],
});
export { expect };
