import type { Page } from "@playwright/test";

const probe = "/e2e-is-routed";

/**
 * A route that is set on an open page is in force when `page.route` returns. The browser tells its renderer by another way than it sends it clicks and
 * keys, so on a busy machine a request of the very next click could pass a route that was set before it: a request is sent until one is held up.
 */
export function routesForSure(page: Page): void {
  const [route, unroute] = [page.route.bind(page), page.unroute.bind(page)];
  page.route = async (...args) => {
    const disposable = await route(...args);
    if (!page.url().startsWith("http")) return disposable; // what is not opened yet sends nothing
    await route(`**${probe}`, (held) => held.fulfill({ status: 204 }));
    while (!(await page.evaluate((path) => fetch(path).then((answer) => answer.status === 204), probe)));
    await unroute(`**${probe}`);
    return disposable;
  };
}
