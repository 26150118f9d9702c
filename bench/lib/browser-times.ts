import { type BrowserContext, chromium, type Page } from "@playwright/test";
import { encode } from "next-auth/jwt";
import type { Context } from "@/bench/lib/context";
import { findOrInstallBrowser } from "@/scripts/lib/browser";

/** A browser at a server, signed in by the cookie that the sign-in would have set. */
export async function withBrowser<T>(
  origin: string,
  cookie: string,
  log: (line: string) => void,
  work: (newContext: () => Promise<BrowserContext>) => Promise<T>,
): Promise<T> {
  const browser = await chromium.launch({
    executablePath: await findOrInstallBrowser(log),
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
  });
  const [name = "", value = ""] = cookie.split("=");
  try {
    return await work(async () => {
      const context = await browser.newContext({ baseURL: origin, viewport: { width: 1440, height: 900 }, locale: "en-GB" });
      await context.addCookies([{ name, value, url: origin }]);
      return context;
    });
  } finally {
    await browser.close();
  }
}

/** Milliseconds until the first content of a page is painted, by a browser that has nothing of it in its cache. */
export async function firstContentOf(newContext: () => Promise<BrowserContext>, url: string): Promise<number> {
  const context = await newContext();
  const page = await context.newPage();
  await page.goto(url, { waitUntil: "load" });
  const painted = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
  await context.close();
  if (painted === undefined) throw new Error(`${url} painted nothing`);
  return painted;
}

/**
 * Milliseconds from an input to the frame that shows what it did, as the browser itself counts them (Event Timing, to 8 ms). What it does not report took
 * less than 16 ms.
 */
export async function inputToPaint(page: Page, act: () => Promise<void>): Promise<number> {
  await page.evaluate(() => {
    const seen: number[] = [];
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (/^(keydown|click|pointerup)$/.test(entry.name)) seen.push(entry.duration);
    });
    observer.observe({ type: "event", durationThreshold: 16 } as PerformanceObserverInit);
    Object.assign(window, { seen, observer });
  });
  await act();
  return page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame++) await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    const { seen, observer } = window as unknown as { seen: number[]; observer: PerformanceObserver };
    for (const entry of observer.takeRecords()) if (/^(keydown|click|pointerup)$/.test(entry.name)) seen.push(entry.duration);
    observer.disconnect();
    return Math.max(16, ...seen);
  });
}

/** The cookie that the sign-in would have set. */
export async function sessionCookie({ secrets }: Context, userId: string, tenantGroupId: string): Promise<string> {
  const name = "authjs.session-token";
  const token = await encode({
    token: { sub: userId, tenantGroupId },
    secret: secrets.authSecret,
    salt: name,
    maxAge: 8 * 3_600,
  });
  return `${name}=${token}`;
}
