import type { Browser, BrowserContext, Page } from "@playwright/test";
import { e2eWorld } from "@/db/testing/e2e-world";

export const people = {
  berlinDesk: "desk@harbour.example",
  seoulDesk: "desk.seoul@harbour.example",
  staff: "staff@harbour.example",
  /** STAFF who also holds the replay operator's right */
  operator: "replay@harbour.example",
  /** another STAFF of the same clinics */
  colleague: "author@harbour.example",
  admin: "admin@harbour.example",
  /** The desk of the clinics that tests make for themselves (a-clinic.ts). */
  onCallDesk: "desk.oncall@harbour.example",
  otherTenantDesk: "desk@ridge.example",
} as const;
export type Person = keyof typeof people;
type Cookies = Awaited<ReturnType<BrowserContext["cookies"]>>;

const kept = new Map<Person, Cookies>();

/** Somebody is signed in on this page's context. Sign-in itself is asked for once a person: attempts are throttled, as they should be. */
export async function signedInAs(page: Page, person: Person): Promise<void> {
  await page.goto("about:blank"); // what is still on its way to the page would bring its cookie back
  await page.context().clearCookies({ name: /authjs/ }); // whoever was signed in here
  let cookies = kept.get(person);
  if (!cookies) {
    await page.goto("/sign-in");
    await page.locator("input[name=email]").fill(people[person]); // in either language
    await page.locator("input[name=password]").fill(e2eWorld().password);
    await page.locator("input[name=password]").press("Enter");
    await page.waitForURL((url) => url.pathname !== "/sign-in");
    await page.goto("about:blank"); // what the first page still reads is nothing that the test asked for
    cookies = (await page.context().cookies()).filter((cookie) => cookie.name.includes("authjs"));
    kept.set(person, cookies);
  }
  await page.context().addCookies(cookies);
}

/** A second browser in which somebody is signed in. */
export async function anotherBrowser(browser: Browser, person: Person): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await signedInAs(page, person);
  return page;
}

/** The language of this browser. */
export async function speaking(page: Page, locale: "en" | "ko"): Promise<void> {
  await page.context().addCookies([{ name: "locale", value: locale, url: e2eWorld().origin }]);
}

/** The theme of this browser. */
export async function inTheme(page: Page, theme: "light" | "dark"): Promise<void> {
  await page.context().addCookies([{ name: "theme", value: theme, url: e2eWorld().origin }]);
}
