import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "@playwright/test";
import { closeDb, openDb, withRead } from "@/db/client";
import { freePort } from "@/db/testing/embedded-postgres";
import { DEMO_PASSWORD } from "@/scripts/demo/people";
import { newSteps } from "@/scripts/demo/progress";
import { seedDemo } from "@/scripts/demo/seed";
import { findOrInstallBrowser } from "@/scripts/lib/browser";
import { buildProduct } from "@/scripts/lib/build-product";
import { startProduct } from "@/scripts/lib/product";
import { ROOT } from "@/scripts/lib/run";
import { newSecrets } from "@/scripts/lib/secrets";
import { startThrowAwayDatabase } from "@/scripts/lib/throw-away";

/** npm run screens: every screen of the built product with the demo's data, in both themes and languages, and of those the pictures of docs/screens. */
type Screen = { name: string; person: Person | "nobody"; path: string; phone?: boolean; before?: (page: Page) => Promise<void> };
type Person = keyof typeof PEOPLE;
const PEOPLE = { staff: "staff@harbour.example", operator: "replay@harbour.example", desk: "desk@harbour.example" } as const;

const openFirstRow = async (page: Page) => {
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
};
const openFirstCard = (page: Page) => page.locator(".cards .btn").first().click();
/** The story of a booking: the newest command may be another one. */
const openFirstStory = async (page: Page) => {
  await page.locator("tr[data-row]", { hasText: /APT-/ }).first().click();
  await page.waitForURL(/\/stories\/[0-9a-f-]{36}/);
};
const openFirstVisit = (page: Page) => page.locator("[data-visit]:visible").first().click();
/** Somebody found by a part of the name, a treatment, and the first free time. */
const fillBooking = async (page: Page) => {
  await page.keyboard.press("n");
  const drawer = page.getByRole("complementary");
  await drawer.getByRole("textbox").first().fill("birke");
  await drawer.getByRole("button", { name: /PT-/ }).first().click();
  await drawer.locator("select").first().selectOption({ index: 1 });
  await drawer.locator("label.slot").first().click();
};

const SCREENS: Screen[] = [
  { name: "root", person: "nobody", path: "/" },
  { name: "sign-in", person: "nobody", path: "/sign-in" },
  { name: "delivery", person: "staff", path: "/operations/delivery", before: openFirstRow },
  { name: "delivery-queue", person: "staff", path: "/operations/delivery" },
  { name: "delivery-phone", person: "staff", path: "/operations/delivery", phone: true },
  { name: "evidence-phone", person: "staff", path: "/operations/delivery", phone: true, before: openFirstCard },
  { name: "groups", person: "operator", path: "/operations/delivery/groups" },
  { name: "stories", person: "staff", path: "/operations/stories" },
  { name: "story", person: "staff", path: "/operations/stories", before: openFirstStory },
  { name: "planning", person: "staff", path: "/operations/planning", before: openFirstRow },
  { name: "planning-phone", person: "staff", path: "/operations/planning", phone: true },
  { name: "audit", person: "staff", path: "/operations/audit", before: openFirstRow },
  { name: "drills", person: "staff", path: "/operations/drills", before: openFirstRow },
  { name: "desk", person: "desk", path: "/desk" },
  { name: "desk-visit", person: "desk", path: "/desk", before: openFirstVisit },
  { name: "desk-booking", person: "desk", path: "/desk", before: fillBooking },
  { name: "desk-week", person: "desk", path: "/desk?view=week" },
  { name: "desk-phone", person: "desk", path: "/desk", phone: true },
];
/** What README and docs show: the screen's name is in English and light unless it says more. */
const SHOWN = ["delivery", "delivery-dark", "delivery-phone", "desk", "desk-dark", "desk-ko", "desk-booking", "story", "planning"];
const ALL = path.join(ROOT, ".data/screens");
const DOCS = path.join(ROOT, "docs/screens");
const DRAIN_MS = 180_000;

const steps = newSteps();
const secrets = newSecrets();
await steps.run("build", () => buildProduct({ log: steps.note }));
const database = await startThrowAwayDatabase("appointment-screens", secrets);
try {
  await steps.run("demo data", () => seedDemo({ urls: database.urls, secrets, say: steps.note }));
  const port = await freePort();
  const env = { DEMO: "true", DEMO_FAULTS: "true" };
  const product = await startProduct({ urls: database.urls, secrets, port, env, onLine: steps.childLine });
  const browser = await chromium.launch({
    executablePath: await findOrInstallBrowser(steps.note),
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    await steps.run("workers drain what the seed announced", () => untilDrained(database.urls.worker));
    for (const folder of [ALL, DOCS]) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
    }
    const signedIn = {
      nobody: undefined,
      staff: await signIn(browser, product.origin, "staff"),
      operator: await signIn(browser, product.origin, "operator"),
      desk: await signIn(browser, product.origin, "desk"),
    };
    for (const shot of shots(signedIn)) {
      await steps.run(shot.name, () => take(browser, product.origin, shot));
      if (SHOWN.includes(shot.name)) copyFileSync(path.join(ALL, `${shot.name}.png`), path.join(DOCS, `${shot.name}.png`));
    }
  } finally {
    await browser.close();
    await product.stop();
  }
} finally {
  await database.stop();
}

/** Each screen in both languages and themes; those that the documents show come first. */
function shots(signedIn: Record<Screen["person"], State>): Shot[] {
  const all = (["en", "ko"] as const).flatMap((locale) =>
    (["light", "dark"] as const).flatMap((theme) =>
      SCREENS.map((screen) => {
        const name = [screen.name, ...(locale === "ko" ? ["ko"] : []), ...(theme === "dark" ? ["dark"] : [])].join("-");
        return { ...screen, name, locale, theme, state: signedIn[screen.person] };
      }),
    ),
  );
  return [...all.filter(({ name }) => SHOWN.includes(name)), ...all.filter(({ name }) => !SHOWN.includes(name))];
}

/** Every event published and met by both consumers, every message decided. */
async function untilDrained(workerUrl: string): Promise<void> {
  const db = openDb(workerUrl, { max: 1, applicationName: "screens" });
  const left = () =>
    withRead(db, { worker: "screens" }, async (tx) => {
      const [row] = await tx.sql<{ count: number }[]>`
        select ((select count(*) from outbox where state in ('PENDING', 'CLAIMED'))
              + (select coalesce(sum(case topic when 'clinic-fact.v1' then 1 else 2 end), 0) from outbox where state = 'PUBLISHED') - (select count(*) from inbox)
              + (select count(*) from notification_intents where state in ('PENDING', 'SENDING'))
              + (select count(*) from planning_runs where state in ('REQUESTED', 'CALCULATING')))::int as count`;
      return row?.count ?? 0;
    });
  for (const end = Date.now() + DRAIN_MS; (await left()) > 0 && Date.now() < end; )
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  await closeDb(db);
}

type State = Awaited<ReturnType<BrowserContext["storageState"]>> | undefined;

async function signIn(browser: Browser, origin: string, person: Person): Promise<State> {
  const context = await browser.newContext({ baseURL: origin });
  const page = await context.newPage();
  await page.goto("/sign-in");
  await page.locator('input[name="email"]').fill(PEOPLE[person]);
  await page.locator('input[name="password"]').fill(DEMO_PASSWORD);
  await page.locator('button[type="submit"]').first().click();
  await page.waitForURL((url) => !url.pathname.startsWith("/sign-in"));
  const state = await context.storageState();
  await context.close();
  return state;
}

type Shot = Screen & { locale: "en" | "ko"; theme: "light" | "dark"; state: State };

async function take(browser: Browser, origin: string, shot: Shot): Promise<void> {
  const context = await browser.newContext({
    baseURL: origin,
    storageState: shot.state,
    viewport: shot.phone ? { width: 390, height: 844 } : { width: 1440, height: 900 },
    timezoneId: "Europe/Berlin",
  });
  await context.addCookies([
    { name: "locale", value: shot.locale, url: origin },
    { name: "theme", value: shot.theme, url: origin },
  ]);
  const page = await context.newPage();
  await page.goto(shot.path);
  await page.waitForTimeout(1_500); // the page answers keys
  await shot.before?.(page);
  await page.waitForTimeout(800); // what the act opened is read and drawn
  await page.evaluate(() => document.fonts.ready);
  await page.mouse.move(0, 0);
  await page.screenshot({ path: path.join(ALL, `${shot.name}.png`) });
  await context.close();
}
