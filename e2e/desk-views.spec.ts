import { drawer, startBooking } from "./actions/desk";
import { openDayOf, openVisit } from "./actions/desk-day";
import { aClinic, type OwnClinic, onCallDeskIsHired } from "./preconditions/a-clinic";
import { aVisit } from "./preconditions/a-visit";
import { signedInAs, speaking } from "./preconditions/signed-in";
import { expectFitsEachWidth } from "./questions/layout";
import { expect, test } from "./support/test";

test.beforeAll(onCallDeskIsHired);
test.beforeEach(({ page }) => signedInAs(page, "onCallDesk"));

const once = (name: string) => `${name} ${Math.random().toString(36).slice(2, 8)}`;
const dayAfter = (clinic: OwnClinic, days: number) =>
  new Date(Date.parse(`${clinic.tuesday}T00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);

test("the week shows how many visits each hour has, one doctor's visits as blocks, and opens a day", async ({ page }) => {
  const [marta, jonas] = [once("Marta Lindqvist"), once("Jonas Albrecht")];
  const clinic = await aClinic({ patients: [{ name: marta }, { name: jonas }] });
  await aVisit(clinic, { doctor: "Dr Ada Winter", patient: marta, at: "10:00" });
  const second = await aVisit(clinic, { doctor: "Dr Bruno Sommer", patient: jonas, at: "10:30" });
  await aVisit(clinic, { doctor: "Dr Ada Winter", patient: jonas, at: "11:00", date: dayAfter(clinic, 1) });
  await openDayOf(page, clinic, { view: "week" });
  await expect(page.getByRole("button", { name: /^Tue .*, 10:00: 2 visits\. Open the day/ })).toBeVisible();
  await expect(page.getByRole("button", { name: /^Wed .*, 11:00: 1 visit\. Open the day/ })).toBeVisible();
  await page.getByLabel("Doctor shown").selectOption({ label: "Dr Bruno Sommer" });
  await expect(page.locator(".wk [data-visit]")).toHaveCount(1);
  await page.locator(".wk [data-visit]").click();
  await expect(drawer(page).getByRole("heading", { level: 2 })).toHaveText(second.ref);
  await expect(page).toHaveURL(new RegExp(`date=${clinic.tuesday}`));
  // The filter is still there, in the URL and in the day.
  await expect(page.locator(".ch")).not.toContainText("Dr Ada Winter");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Week", exact: true }).click();
  await page.getByRole("button", { name: "Next week" }).click();
  await expect(page.locator(".wk [data-visit]")).toHaveCount(0);
  await page.getByRole("button", { name: "Today", exact: true }).click();
  await expect(page.locator(".wk .ch .td")).toHaveCount(1);
});

test("the states of the week are numbers, of all doctors or of one, and each is a filter", async ({ page }) => {
  const [marta, jonas] = [once("Marta Lindqvist"), once("Jonas Albrecht")];
  const clinic = await aClinic({ patients: [{ name: marta }, { name: jonas }] });
  await aVisit(clinic, { doctor: "Dr Ada Winter", patient: marta, at: "10:00" });
  await aVisit(clinic, { doctor: "Dr Ada Winter", patient: jonas, at: "11:00", date: dayAfter(clinic, 1) });
  const released = await aVisit(clinic, { doctor: "Dr Bruno Sommer", patient: jonas, at: "10:00" });
  await openDayOf(page, clinic);
  await openVisit(page, released.ref);
  await drawer(page).getByRole("button", { name: "Give the time back" }).click();
  await drawer(page).getByLabel("Reason").selectOption({ label: "Other" });
  await drawer(page).getByRole("button", { name: "Give the time back" }).last().click();
  await expect(page.getByRole("button", { name: /1 needs a new time/ })).toBeVisible();
  await openDayOf(page, clinic, { view: "week" });
  const counts = page.getByRole("region", { name: "The week in numbers" });
  const hours = page.locator(".wk .hcn");
  await expect(counts.getByRole("button")).toHaveText([/^2\s*booked$/, /1 needs a new time/]);
  await expect(hours).toHaveCount(2);
  await counts.getByRole("button", { name: "2 booked" }).click();
  await expect(page).toHaveURL(/state=CONFIRMED/);
  await expect(page.locator(".wk .ch .s", { hasText: "1 visit" })).toHaveCount(2);
  await counts.getByRole("button", { name: /needs a new time/ }).click();
  await expect(counts.getByRole("button", { name: /needs a new time/ })).toHaveAttribute("aria-pressed", "true");
  await expect(hours).toHaveCount(1);
  await counts.getByRole("button", { name: /needs a new time/ }).click();
  await page.getByLabel("Doctor shown").selectOption({ label: "Dr Ada Winter" });
  await expect(counts.getByRole("button")).toHaveText([/^2\s*booked$/]);
});

test("H-F3 a week that a long closure leaves only partly open is drawn, with the open days open", async ({ page }) => {
  const clinic = await aClinic();
  const closed = await aClinic({ closures: [{ from: `${dayAfter(clinic, 1)}T12:00`, until: `${dayAfter(clinic, 13)}T12:00` }] });
  await openDayOf(page, closed, { view: "week" });
  const lane = (n: number) => page.locator(".wk .lane").nth(n);
  await expect(lane(1).locator(".hz")).toHaveCount(0);
  await expect(lane(2).locator(".hz")).toHaveText(/Clinic closed 12:00–17:00, Renovation/);
  await expect(lane(3).locator(".hz")).toHaveText(/Clinic closed 09:00–17:00, Renovation/);
  await page.goto(`/desk?clinic=${closed.ref}&date=${dayAfter(closed, 13)}&view=week`);
  await expect(lane(0).locator(".hz")).toHaveText(/Clinic closed 09:00–12:00, Renovation/);
  await expect(lane(1).locator(".hz")).toHaveCount(0);
});

test("counts are filters, in the URL; the doctor is one too", async ({ page }) => {
  const [marta, jonas] = [once("Marta Lindqvist"), once("Jonas Albrecht")];
  const clinic = await aClinic({ patients: [{ name: marta }, { name: jonas }] });
  await aVisit(clinic, { doctor: "Dr Ada Winter", patient: marta, at: "10:00" });
  const other = await aVisit(clinic, { doctor: "Dr Bruno Sommer", patient: jonas, at: "10:00" });
  await openDayOf(page, clinic);
  const visits = page.locator(".calwrap [data-visit]");
  await expect(visits).toHaveCount(2);
  await openVisit(page, other.ref);
  await drawer(page).getByRole("button", { name: "Give the time back" }).click();
  await drawer(page).getByLabel("Reason").selectOption({ label: "Other" });
  await drawer(page).getByRole("button", { name: "Give the time back" }).last().click();
  await expect(page.getByRole("button", { name: /1 needs a new time/ })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "1 booked" }).click();
  await expect(visits).toHaveCount(1);
  await expect(page).toHaveURL(/state=CONFIRMED/);
  await page.reload();
  await expect(page.getByRole("button", { name: "1 booked" })).toHaveAttribute("aria-pressed", "true");
  await page.getByRole("button", { name: "1 booked" }).click();
  await expect(visits).toHaveCount(2);
  await page.getByLabel("Doctor shown").selectOption({ label: "Dr Bruno Sommer" });
  await expect(visits).toHaveCount(1);
});

test("H-O1 three visits at once share the width, each large enough and reached by Tab", async ({ page }) => {
  const names = ["P1", "P2", "P3"].map((name) => once(name));
  const clinic = await aClinic({
    doctors: ["Dr Ada Winter"],
    seats: 3,
    gridMinutes: 5,
    treatments: [
      { name: "Long", minutes: 60 },
      { name: "Short", minutes: 15 },
      { name: "Middle", minutes: 30 },
    ],
    patients: names.map((name) => ({ name })),
  });
  for (const [i, [treatment, at]] of [
    ["Long", "09:00"],
    ["Short", "09:15"],
    ["Middle", "09:20"],
  ].entries())
    await aVisit(clinic, { treatment: treatment ?? "", patient: names[i] ?? "", at: at ?? "" });
  await openDayOf(page, clinic);
  const blocks = page.locator(".calwrap [data-visit]");
  await expect(blocks).toHaveCount(3);
  const boxes = await Promise.all([0, 1, 2].map((n) => blocks.nth(n).boundingBox()));
  for (const [i, a] of boxes.entries()) {
    expect(Math.min(a?.width ?? 0, a?.height ?? 0)).toBeGreaterThanOrEqual(24);
    for (const b of boxes.slice(i + 1))
      if (a && b) expect(a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y).toBe(true);
  }
  await blocks.first().focus();
  for (const [n, name] of names.entries()) {
    await expect(blocks.nth(n)).toBeFocused();
    await expect(blocks.nth(n)).toHaveAccessibleName(new RegExp(`09:\\d\\d.*Booked.*${name}`));
    await page.keyboard.press("Tab");
  }
});

test("H-O2 a visit over midnight is drawn whole in its night, with the date at midnight, and counted once", async ({ page }) => {
  const marta = once("Marta Lindqvist");
  const clinic = await aClinic({
    hours: [["22:00", "02:00"]],
    treatments: [{ name: "Watch", minutes: 120 }],
    patients: [{ name: marta }],
  });
  const visit = await aVisit(clinic, { patient: marta, at: "23:00" });
  await openDayOf(page, clinic);
  const block = page.locator(".calwrap [data-visit]", { hasText: visit.ref });
  const [card, grid] = [await block.boundingBox(), await page.locator(".cal").boundingBox()];
  expect((card?.y ?? 0) + (card?.height ?? 0)).toBeLessThanOrEqual((grid?.y ?? 0) + (grid?.height ?? 0));
  await expect(page.locator(".cal .dayl")).toContainText("Wed");
  await expect(page.getByRole("button", { name: "1 booked" })).toBeVisible();
  await page.getByRole("button", { name: "Week", exact: true }).click();
  await expect(page.getByRole("button", { name: /23:00: 1 visit\./ })).toHaveCount(1);
  await expect(page.locator(".wk .ch .s", { hasText: "1 visit" })).toHaveCount(1);
});

test("H-E7 a visit in the small hours is on the clinic's date in day, week and print", async ({ page }) => {
  const marta = once("Marta Lindqvist");
  const clinic = await aClinic({ zone: "Asia/Kathmandu", hours: [["00:00", "00:00"]], patients: [{ name: marta }] });
  const visit = await aVisit(clinic, { patient: marta, at: "02:00" });
  await openDayOf(page, clinic);
  await expect(page.locator(".calwrap [data-visit]", { hasText: visit.ref })).toHaveCount(1);
  const printed = page.locator(".agenda [data-visit]", { hasText: visit.ref });
  await page.emulateMedia({ media: "print" });
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^Tue /);
  await expect(printed).toBeVisible();
  await expect(printed).toContainText("02:00");
  await page.emulateMedia({ media: "screen" });
  await page.getByRole("button", { name: "Week", exact: true }).click();
  await expect(page.getByRole("button", { name: /^Tue .*, 02:00: 1 visit\./ })).toHaveCount(1);
  await openDayOf(page, clinic, { date: dayAfter(clinic, -1) });
  await expect(page.locator("[data-visit]", { hasText: visit.ref })).toHaveCount(0);
  await page.emulateMedia({ media: "print" });
  await expect(page.locator(".agenda")).toBeVisible();
  await expect(printed).toHaveCount(0);
});

test("the day prints as a list in time order, without what only a screen can do", async ({ page }) => {
  const [marta, jonas] = [once("Marta Lindqvist"), once("Jonas Albrecht")];
  const clinic = await aClinic({ patients: [{ name: marta }, { name: jonas }] });
  await aVisit(clinic, { doctor: "Dr Ada Winter", patient: marta, at: "10:30" });
  await aVisit(clinic, { doctor: "Dr Bruno Sommer", patient: jonas, at: "09:00" });
  await openDayOf(page, clinic);
  await page.emulateMedia({ media: "print" });
  await expect(page.locator(".calwrap")).toBeHidden();
  await expect(page.getByRole("button", { name: "New appointment" })).toBeHidden();
  await expect(page.locator(".agenda [data-visit]")).toHaveCount(2);
  await expect(page.locator(".agenda [data-visit]").first()).toContainText("09:00");
  await expect(page.locator(".agenda [data-visit]").first()).toContainText("Dr Bruno Sommer");
});

for (const [locale, widths] of [
  ["en", [1440, 1024]],
  ["ko", [768, 390, 320]],
] as const)
  test(`day, visit, booking and week have no accessibility violation in either theme, and nothing is lost at any width (${locale})`, async ({
    page,
  }) => {
    const fits = () => expectFitsEachWidth(page, { widths });
    const marta = once("Marta Lindqvist");
    const clinic = await aClinic({
      breaks: [{ interval: ["12:00", "13:00"] }],
      absences: [{ doctor: "Dr Ada Winter", from: `2027-01-01T00:00`, until: `2028-01-01T00:00` }],
      patients: [{ name: marta }],
    });
    const visit = await aVisit(clinic, { doctor: "Dr Bruno Sommer", patient: marta, at: "10:00" });
    await speaking(page, locale);
    await page.setViewportSize({ width: widths[0], height: 844 });
    await page.goto(`/desk?clinic=${clinic.ref}&date=${clinic.tuesday}`);
    await expect(page.locator(`[data-visit="${visit.id}"]:visible`)).toBeVisible();
    await fits();
    await page.goto(`/desk?clinic=${clinic.ref}&date=${clinic.tuesday}&visit=${visit.id}`);
    await expect(drawer(page).getByText(marta)).toBeVisible();
    await fits();
    await page.goto(`/desk?clinic=${clinic.ref}&date=${clinic.tuesday}&book=true`);
    await drawer(page).locator("select").first().selectOption({ index: 1 });
    await drawer(page).locator("fieldset input").first().fill(clinic.tuesday);
    await drawer(page).locator("fieldset input").last().fill("12:10");
    await expect(drawer(page).locator(".blk3 dl")).toBeVisible();
    await fits();
    await page.goto(`/desk?clinic=${clinic.ref}&date=${clinic.tuesday}&view=week`);
    await expect(page.locator(".wk .hcn").first()).toBeVisible();
    await fits();
  });

test("150 visits and 12 doctors stay smooth: opening a drawer draws no block anew, and nothing is drawn while nothing changes", async ({
  page,
}) => {
  const clinic = await aClinic({
    doctors: Array.from({ length: 12 }, (_, n) => `Dr ${String(n + 1).padStart(2, "0")}`),
    patients: [{ name: once("P") }],
  });
  const visit = await aVisit(clinic, { patient: Object.keys(clinic.patients)[0] ?? "", at: "09:00" });
  // The one stored visit is shown 150 times, spread over the doctors: what is measured is drawing.
  await page.route("**/api/trpc/desk.day*", async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    for (const answer of Array.isArray(body) ? body : [body]) {
      const day = answer.result.data.json;
      const doctors = day.columns.filter((column: { kind: string }) => column.kind === "DOCTOR");
      const [one] = day.visits;
      const from = Date.parse(one.startsAt);
      day.visits = Array.from({ length: 150 }, (_, n) => {
        const startMs = from + Math.floor(n / 12) * 1_800_000;
        const [startsAt, endsAt] = [startMs, startMs + 1_800_000].map((ms) => new Date(ms).toISOString().replace(".000Z", "Z"));
        return {
          ...one,
          id: n === 0 ? one.id : `${one.id.slice(0, -3)}${String(n).padStart(3, "0")}`,
          startsAt,
          endsAt,
          doctorId: doctors[n % 12].id,
        };
      });
    }
    await route.fulfill({ response, json: body });
  });
  await openDayOf(page, clinic);
  await expect(page.locator(".calwrap [data-visit]")).toHaveCount(150);
  await page.evaluate(() => {
    for (const block of document.querySelectorAll(".calwrap [data-visit]")) Object.assign(block, { isTheSame: true });
  });
  const paintOf = (act: string) =>
    page.evaluate(async (what) => {
      const start = performance.now();
      if (what === "key") window.dispatchEvent(new KeyboardEvent("keydown", { key: "n", bubbles: true }));
      else document.querySelector<HTMLElement>(".calwrap [data-visit]")?.click();
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      return performance.now() - start;
    }, act);
  const [book, open] = [await paintOf("key"), await paintOf("visit")];
  await expect(drawer(page).getByRole("heading", { level: 2 })).toHaveText(visit.ref);
  // Over two refreshes nobody changes anything: no block of the calendar may be touched.
  const touched = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let count = 0;
        const observer = new MutationObserver((changes) => {
          count += changes.filter((change) => !(change.target as Node).parentElement?.closest(".now")).length;
        });
        for (const lanes of document.querySelectorAll(".lanes"))
          observer.observe(lanes, { subtree: true, childList: true, attributes: true, characterData: true });
        setTimeout(() => resolve(count), 11_000);
      }),
  );
  console.log(`desk, 150 visits: input to paint ${book.toFixed(0)} ms for the booking drawer, ${open.toFixed(0)} ms for a visit`);
  expect(touched).toBe(0);
  const drawnAnew = await page.locator(".calwrap [data-visit]").evaluateAll((all) => all.filter((block) => !("isTheSame" in block)).length);
  expect(drawnAnew).toBe(0);
  await startBooking(page);
});
