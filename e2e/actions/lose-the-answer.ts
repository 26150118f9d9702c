import type { Page } from "@playwright/test";

/** The server gets the command and answers; the answer never reaches the browser. For the next `times` calls. */
export async function loseTheAnswerOf(page: Page, procedure: string, times = 1): Promise<void> {
  await page.route(
    `**/api/trpc/${procedure}*`,
    async (route) => {
      await route.fetch();
      await route.abort("connectionreset");
    },
    { times },
  );
}

/** The command does not even leave: the network is gone. */
export async function cutTheWayTo(page: Page, procedure: string, times = 1): Promise<void> {
  await page.route(`**/api/trpc/${procedure}*`, (route) => route.abort("connectionfailed"), { times });
}
