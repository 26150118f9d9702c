// The clinic's now: the line across the calendar, today, and the keys and fields that lead to other days.
import { Temporal } from "temporal-polyfill";
import { drawer } from "./actions/desk";
import { openDayOf } from "./actions/desk-day";
import { aClinic, onCallDeskIsHired, zoneAtNoon } from "./preconditions/a-clinic";
import { aVisit } from "./preconditions/a-visit";
import { signedInAs } from "./preconditions/signed-in";
import { expect, test } from "./support/test";

test.beforeAll(onCallDeskIsHired);
test.beforeEach(({ page }) => signedInAs(page, "onCallDesk"));

const once = (name: string) => `${name} ${Math.random().toString(36).slice(2, 8)}`;
const allDay: [string, string][] = [["00:00", "00:00"]];
const two = (n: number) => String(n).padStart(2, "0");
const minutesOf = (clock: string | null) => Number(clock?.slice(0, 2)) * 60 + Number(clock?.slice(3));

test("the now-line stands at the clinic's now, today only, moves by itself and passes behind the visits", async ({ page }) => {
  const zone = zoneAtNoon();
  const marta = once("Marta Lindqvist");
  const clinic = await aClinic({ zone, hours: allDay, patients: [{ name: marta }] });
  const now = Temporal.Now.zonedDateTimeISO(zone);
  const soon = now.round({ smallestUnit: "minute", roundingIncrement: 10, roundingMode: "ceil" }).add({ minutes: 10 });
  const visit = await aVisit(clinic, { patient: marta, at: soon.toPlainTime().toString().slice(0, 5), date: clinic.today });
  await page.clock.install();
  await openDayOf(page, clinic, { date: clinic.today });
  const line = page.locator(".cal .now");
  const label = line.locator("b");
  await expect(line).toHaveCount(1);
  const shown = minutesOf(await label.textContent());
  expect(Math.abs(shown - (now.hour * 60 + now.minute))).toBeLessThanOrEqual(2);
  const atMinute = async () => {
    const [lineBox, calendar] = [await line.boundingBox(), await page.locator(".cal").boundingBox()];
    return (((lineBox?.y ?? 0) - (calendar?.y ?? 0)) / (calendar?.height ?? 1)) * 24 * 60;
  };
  expect(Math.abs((await atMinute()) - shown)).toBeLessThan(3);

  // Nobody can read; the time goes on all the same, into the visit.
  await page.route("**/api/trpc/*desk.day*", (route) => route.abort("connectionfailed"));
  const intoVisit = soon.add({ minutes: 15 }).epochMilliseconds - Date.now();
  await page.clock.fastForward(intoVisit);
  await expect.poll(async () => minutesOf(await label.textContent())).toBeGreaterThanOrEqual(shown + 10);
  expect(Math.abs((await atMinute()) - minutesOf(await label.textContent()))).toBeLessThan(3);
  const order = await page.locator(`.calwrap [data-visit="${visit.id}"]`).evaluate((block) => {
    block.scrollIntoView({ block: "center" });
    const now = document.querySelector<HTMLElement>(".cal .now");
    if (!now) return [];
    now.style.pointerEvents = "auto"; // else the question below would pass it over
    now.style.height = "1px";
    const [box, y] = [block.getBoundingClientRect(), now.getBoundingClientRect().top + 0.5];
    const stack = document.elementsFromPoint(box.left + box.width / 2, y);
    return [stack.findIndex((element) => block.contains(element)), stack.indexOf(now)];
  });
  expect(order[0]).toBeGreaterThanOrEqual(0);
  expect(order[1]).toBeGreaterThan(order[0] ?? 0);

  await page.unroute("**/api/trpc/*desk.day*");
  await openDayOf(page, clinic);
  await expect(line).toHaveCount(0);
});

test("a night that began yesterday and still runs is today: the desk opens on it, and what is booked has the calendar's date", async ({
  page,
}) => {
  const zone = zoneAtNoon();
  const now = Temporal.Now.zonedDateTimeISO(zone);
  // Open from two hours from now until an hour from now on the next day: now lies in what began yesterday.
  const clinic = await aClinic({ zone, hours: [[`${two(now.hour + 2)}:00`, `${two(now.hour + 1)}:00`]] });
  const yesterday = now.toPlainDate().subtract({ days: 1 });
  const heading = page.getByRole("heading", { level: 1 });
  await page.goto(`/desk?clinic=${clinic.ref}`);
  await expect(heading).toHaveText(new RegExp(`^\\w{3} ${yesterday.day} `));
  await expect(page.locator(".cal .now")).toHaveCount(1);
  await expect(page.getByRole("button", { name: "Today", exact: true })).toHaveAttribute("aria-pressed", "true");
  await page.keyboard.press("n");
  await expect(drawer(page).getByLabel("Wished day")).toHaveValue(clinic.today);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await expect(drawer(page)).toHaveCount(0);
  await page.getByRole("button", { name: "Next day" }).click();
  await expect(heading).toHaveText(new RegExp(`^\\w{3} ${now.day} `));
  await expect(page.locator(".cal .now")).toHaveCount(0);
  await page.keyboard.press("t");
  await expect(heading).toHaveText(new RegExp(`^\\w{3} ${yesterday.day} `));
});

test("arrows, T and a date lead to other days; in the week an arrow is a week", async ({ page }) => {
  const clinic = await aClinic();
  const tuesday = Temporal.PlainDate.from(clinic.tuesday);
  const isAt = (date: Temporal.PlainDate) => expect(page).toHaveURL(new RegExp(`date=${date.toString()}`));
  const heading = page.getByRole("heading", { level: 1 });
  await openDayOf(page, clinic);
  await page.keyboard.press("ArrowRight");
  await isAt(tuesday.add({ days: 1 }));
  await expect(heading).toHaveText(/^Wed /);
  await page.keyboard.press("ArrowLeft");
  await expect(heading).toHaveText(/^Tue /);
  await page.keyboard.press("ArrowLeft");
  await isAt(tuesday.subtract({ days: 1 }));
  await expect(heading).toHaveText(/^Mon /);
  const wished = tuesday.add({ days: 40 });
  await page.getByLabel("Go to a date").fill(wished.toString());
  await isAt(wished);
  await expect(heading).toHaveText(new RegExp(`^\\w{3} ${wished.day} `));
  await page.getByLabel("Go to a date").blur();
  await page.keyboard.press("t");
  await expect(page).not.toHaveURL(/date=/);
  await expect(page.getByRole("button", { name: "Today", exact: true })).toHaveAttribute("aria-pressed", "true");
  await openDayOf(page, clinic, { view: "week" });
  await page.keyboard.press("ArrowRight");
  await isAt(tuesday.add({ days: 7 }));
});

test("single keys that were switched off do nothing, also after the page was read again, until they are switched on", async ({ page }) => {
  const clinic = await aClinic();
  await openDayOf(page, clinic);
  const here = page.url();
  const setKeys = async (on: boolean) => {
    await page.getByRole("button", { name: "Keys" }).click();
    await page.getByRole("checkbox", { name: /^Single keys are on/ }).setChecked(on);
    await page.keyboard.press("Escape"); // closes a dialog, whatever the setting
    await expect(page.getByRole("dialog")).toHaveCount(0);
  };
  await setKeys(false);
  for (const read of [false, true]) {
    if (read) await page.reload();
    for (const key of ["n", "t", "ArrowRight", "?"]) await page.keyboard.press(key);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    await expect(drawer(page)).toHaveCount(0);
    await expect(page.getByRole("dialog")).toHaveCount(0);
    expect(page.url()).toBe(here);
  }
  await setKeys(true);
  await page.keyboard.press("n");
  await expect(drawer(page).getByRole("heading", { name: "New appointment" })).toBeVisible();
});
