// The stream of hints by itself: in these pages nothing polls, so what shows was hinted at.
import type { Page } from "@playwright/test";
import { openDayOf } from "./actions/desk-day";
import { aClinic, onCallDeskIsHired } from "./preconditions/a-clinic";
import { aCommand } from "./preconditions/a-command";
import { aVisit } from "./preconditions/a-visit";
import { signedInAs } from "./preconditions/signed-in";
import { expect, test } from "./support/test";

/** Timers that repeat after a second or more never fire; streams that the page opens are kept in sight. */
async function withoutPolling(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const every = window.setInterval.bind(window);
    const quiet = (work: TimerHandler, ms?: number, ...rest: unknown[]) => ((ms ?? 0) >= 1_500 ? 0 : every(work, ms, ...rest));
    Object.assign(window, { setInterval: quiet, streams: [] });
    const Kept = window.EventSource;
    window.EventSource = class extends Kept {
      constructor(url: string | URL) {
        super(url);
        (window as unknown as { streams: EventSource[] }).streams.push(this);
      }
    };
  });
}

/** Whether each stream that the page ever opened is open. */
const streams = (page: Page): Promise<boolean[]> =>
  page.evaluate(() => (window as unknown as { streams: EventSource[] }).streams.map((stream) => stream.readyState !== EventSource.CLOSED));

const turnTo = (page: Page, visibility: "hidden" | "visible"): Promise<void> =>
  page.evaluate((state) => {
    Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, visibility);

test.beforeEach(async ({ page }) => {
  await withoutPolling(page);
});

test("a change by somebody else shows in Delivery without a poll, behind the counter; a hidden page has no stream", async ({ page }) => {
  await aCommand();
  await signedInAs(page, "staff");
  await page.goto("/operations/delivery?state=PROCESSED");
  const rows = page.locator("tr[data-row]");
  await expect(rows.first()).toBeAttached();
  const first = await rows.first().getAttribute("data-row");
  await aCommand();
  const counter = page.getByRole("button", { name: /new rows?$/ });
  await expect(counter).toBeVisible();
  expect(await rows.first().getAttribute("data-row")).toBe(first);

  await turnTo(page, "hidden");
  expect((await streams(page)).filter(Boolean)).toHaveLength(0);
  await counter.click();
  await expect(counter).toHaveCount(0);
  await aCommand(); // while nobody was told
  await turnTo(page, "visible");
  await expect(counter).toBeVisible();
  expect((await streams(page)).filter(Boolean)).toHaveLength(1);
});

test("a booking by somebody else shows at the desk without a poll", async ({ page }) => {
  await onCallDeskIsHired();
  const clinic = await aClinic({ patients: [{ name: "Marta Lindqvist" }] });
  await signedInAs(page, "onCallDesk");
  await openDayOf(page, clinic);
  await expect(page.locator(".calwrap")).toBeVisible();
  const { ref } = await aVisit(clinic, { patient: "Marta Lindqvist", at: "10:00" });
  await expect(page.locator(".calwrap [data-visit]", { hasText: ref })).toBeVisible();
});
