import { chooseDoctor, confirmBooking, drawer, openVisitRef, startBooking, times } from "./actions/desk";
import { openDayOf, startBookingFor, tabTo, wishFor } from "./actions/desk-day";
import { aClinic, onCallDeskIsHired } from "./preconditions/a-clinic";
import { aVisit } from "./preconditions/a-visit";
import { signedInAs } from "./preconditions/signed-in";
import { expectNoAxeViolation } from "./questions/accessibility";
import { countOfAppointments, recordsOf, startOf, statusOf } from "./questions/records";
import { expect, test } from "./support/test";

test.beforeAll(onCallDeskIsHired);
test.beforeEach(({ page }) => signedInAs(page, "onCallDesk"));

const once = (name: string) => `${name} ${Math.random().toString(36).slice(2, 8)}`;

test("what blocks a wished time is said by name: who, which break, which absence", async ({ page }) => {
  const [jonas, marta] = [once("Jonas Albrecht"), once("Marta Lindqvist")];
  const clinic = await aClinic({
    hours: [["20:00", "04:00"]],
    doctors: ["D-01", "D-02", "D-03"],
    treatments: [{ name: "Consultation", minutes: 40 }],
    breaks: [{ doctor: "D-02", interval: ["21:00", "21:30"] }],
    patients: [{ name: jonas }, { name: marta }],
  });
  await aVisit(clinic, { doctor: "D-01", patient: jonas, at: "20:40" });
  await openDayOf(page, clinic);
  await startBookingFor(page, marta, "Consultation");
  const wished = drawer(page).getByRole("group", { name: "Wished time" });
  await wishFor(page, clinic.tuesday, "21:00");
  await expect(wished.getByText("21:00–21:40 is free, with D-03")).toBeVisible();
  await chooseDoctor(page, "D-01");
  await expect(wished.getByText("21:00–21:40 is not free")).toBeVisible();
  await expect(wished.locator("dl")).toContainText(`D-01${jonas}, Consultation, 20:40–21:20`);
  await chooseDoctor(page, "D-02");
  await expect(wished.locator("dl")).toContainText("D-02break, 21:00–21:30");
  await expectNoAxeViolation(page);
  // What is free instead stands below, from the wished time on.
  await expect(times(page).first()).toContainText("21:30");
});

test("a device or room in use is named with the visit that has it", async ({ page }) => {
  const [piotr, marta] = [once("Piotr Zając"), once("Marta Lindqvist")];
  const clinic = await aClinic({
    doctors: ["D-01", "D-03"],
    treatments: [{ name: "Plaster", minutes: 40, room: true }],
    absences: [],
    patients: [{ name: piotr }, { name: marta }],
  });
  await aVisit(clinic, { doctor: "D-03", patient: piotr, at: "10:50" });
  await openDayOf(page, clinic);
  await startBookingFor(page, marta, "Plaster");
  await wishFor(page, clinic.tuesday, "1100");
  await expect(drawer(page).locator(".blk3 dl")).toHaveText(`Room 2${piotr}, Plaster, 10:50–11:30`);
  // A free time names what the visit would hold, and shows it in the column of the room too.
  await wishFor(page, clinic.tuesday, "1400");
  await expect(drawer(page).getByText(/You are booking .*, Plaster with D-01 \(any doctor\) and Room 2, for/)).toBeVisible();
  await expect(page.locator(".lane.eq .ap.new")).toHaveText(/14:00, D-01\s*Your choice/);
});

for (const width of [1440, 1024, 768, 390])
  test(`the keyboard alone books a wished time at ${width} px, from N to booked`, async ({ page }) => {
    await page.setViewportSize({ width, height: 844 });
    const marta = once("Marta Lindqvist");
    const clinic = await aClinic({ patients: [{ name: marta }] });
    await openDayOf(page, clinic);
    await page.keyboard.press("n");
    await expect(drawer(page).getByRole("textbox", { name: /^Patient/ })).toBeFocused(); // one can type at once
    await page.keyboard.type(marta);
    const match = drawer(page).getByRole("button", { name: /PT-/ });
    await expect(match).toHaveCount(1);
    await tabTo(page, match);
    await page.keyboard.press("Enter");
    await expect(drawer(page).getByLabel("Treatment")).toBeFocused();
    await page.keyboard.type("Cons");
    await tabTo(page, drawer(page).getByLabel("Wished start"));
    await page.keyboard.type("1030");
    await expect(drawer(page).getByText("10:30–11:00 is free, with", { exact: false })).toBeVisible();
    await tabTo(page, drawer(page).getByRole("button", { name: "Book 10:30" }));
    await page.keyboard.press("Enter");
    const ref = await openVisitRef(page);
    expect(await statusOf(ref)).toBe("CONFIRMED");
    await page.keyboard.press("Escape");
    await expect(drawer(page)).toHaveCount(0);
    await expect(page.locator("[data-visit]:visible", { hasText: ref })).toBeFocused();
  });

test("a time that the clock shows twice is offered twice, and the chosen one is booked", async ({ page }) => {
  const marta = once("Marta Lindqvist");
  const clinic = await aClinic({
    hours: [["20:00", "04:00"]],
    doctors: ["D-02", "D-03"],
    gridMinutes: 20,
    patients: [{ name: marta }],
    absences: [{ doctor: "D-03", from: "2027-10-30T23:45", until: "2027-10-31T02:00" }],
  });
  await openDayOf(page, clinic, { date: "2027-10-30" });
  await expect(page.getByText("Europe/Berlin, clocks go back at 03:00")).toBeVisible();
  await expect(page.getByText("Clocks go back: 02:00–03:00 comes again, UTC+01:00")).toBeVisible();
  await startBookingFor(page, marta, "Consultation");
  await chooseDoctor(page, "D-02"); // the other one is absent until the second 02:00
  await wishFor(page, "2027-10-31", "02:20");
  const readings = drawer(page).getByRole("radiogroup", { name: "Which of the two" }).locator("label");
  await expect(readings).toHaveText(["02:20UTC+02:00, first", "02:20UTC+01:00, second"]);
  await readings.nth(1).click();
  await expect(drawer(page).getByText(/UTC\+01:00, the second/)).toBeVisible();
  await expect(page.locator(".ap.new")).toContainText("Your choice, +01:00");
  await expect(drawer(page).getByText("Sun 31 Oct has 02:00–03:00 twice", { exact: false })).toBeVisible();
  await expectNoAxeViolation(page);
  await drawer(page).getByRole("button", { name: "Book the second 02:20" }).click();
  const ref = await openVisitRef(page);
  expect(await startOf(ref)).toBe("2027-10-31T01:20:00Z");
  await expect(page.locator(".calwrap [data-visit]", { hasText: ref })).toContainText("Booked, +01:00");
  // Everywhere else the time stands it has its offset too: in the drawer, in the label of an absence, in the history of a move.
  await expect(drawer(page).getByText("Sun 31 Oct 02:20 (+01:00)–02:50 (+01:00)", { exact: false })).toBeVisible();
  await expect(page.locator(".calwrap .hz", { hasText: "Absent" })).toHaveText(/23:45–02:00 \(\+0[12]:00\)/);
  await drawer(page).getByRole("button", { name: "Set a new time" }).click();
  await wishFor(page, "2027-10-31", "02:20");
  await readings.nth(0).click();
  await drawer(page).getByRole("button", { name: "Move to 02:20 UTC+02:00" }).click();
  await expect(drawer(page).getByText("Moved: Sun 31 Oct 02:20 (+01:00) → Sun 31 Oct 02:20 (+02:00)")).toBeVisible();
  await page.keyboard.press("Escape");
  const line = page.locator(".agenda [data-visit]", { hasText: ref });
  await page.emulateMedia({ media: "print" });
  await expect(line).toBeVisible();
  await expect(line).toContainText("Booked, +02:00");
  await page.emulateMedia({ media: "screen" });
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(line).toBeVisible();
  await expect(line).toContainText("Booked, +02:00");
});

test("a time that the clocks skip is refused, not guessed", async ({ page }) => {
  const clinic = await aClinic({ hours: [["20:00", "06:00"]], patients: [] });
  await openDayOf(page, clinic, { date: "2027-03-27" });
  await startBooking(page);
  await drawer(page).getByLabel("Treatment").selectOption({ index: 1 });
  await wishFor(page, "2027-03-28", "02:20");
  await expect(drawer(page).getByText("There is no 02:20 that day", { exact: false })).toBeVisible();
});

test("free times of later days are shown a week at a time", async ({ page }) => {
  const clinic = await aClinic();
  await openDayOf(page, clinic);
  await startBooking(page);
  await drawer(page).getByLabel("Treatment").selectOption({ index: 1 });
  await drawer(page).getByLabel("Wished day").fill(clinic.tuesday);
  const firstOf = async () => Date.parse(await times(page).first().getByRole("radio").inputValue());
  await expect(times(page).first()).toBeVisible();
  const first = await firstOf();
  await drawer(page).getByRole("button", { name: "Show later days" }).click();
  await expect.poll(firstOf).toBe(first + 7 * 86_400_000);
  await drawer(page).getByRole("button", { name: "Show earlier days" }).click();
  await expect.poll(firstOf).toBe(first);
});

test("H-L2 a likely duplicate is a question: using the known person keeps the form, and nobody was added", async ({ page }) => {
  const phone = `+44 1632 96${String(Date.now()).slice(-4)}`;
  const zoe = once("Zoë 🤡 Ünal");
  const clinic = await aClinic({ patients: [{ name: zoe, phone }] });
  await openDayOf(page, clinic);
  await startBooking(page);
  await drawer(page).getByLabel("Treatment").selectOption({ index: 1 });
  await drawer(page).getByLabel("Wished start").fill("11:00");
  await drawer(page).getByRole("button", { name: "New patient" }).click();
  const form = drawer(page).getByRole("region", { name: "New patient" });
  await form.getByLabel("Name").fill("Zoe Unal");
  await form.getByLabel("Phone").fill(phone.replaceAll(" ", "."));
  await form.getByRole("button", { name: "Add patient" }).click();
  const likely = form.getByRole("region", { name: "Likely the same person:" });
  await expect(likely.getByRole("button")).toContainText(zoe);
  await expectNoAxeViolation(page);
  await likely.getByRole("button").click();
  await expect(drawer(page).locator("form").getByText(zoe, { exact: true })).toBeVisible();
  await expect(drawer(page).getByLabel("Wished start")).toHaveValue("11:00");
  await drawer(page).getByRole("button", { name: "Book 11:00" }).click(); // asked again for the one who was chosen
  await openVisitRef(page);
  // H-L1: any valid name, as it is spelled, in card, drawer and print.
  await expect(page.locator(".calwrap [data-visit]")).toContainText(zoe);
  await page.emulateMedia({ media: "print" });
  await expect(page.locator(".agenda [data-visit]")).toContainText(zoe);
});

test("H-L3, H-L4 what a search matched is marked, whatever the spelling", async ({ page }) => {
  const tag = Math.random().toString(36).slice(2, 8);
  const clinic = await aClinic({ patients: [{ name: `Marta Lindqvist ${tag}`, phone: "+49 172 555 0142" }] });
  await openDayOf(page, clinic);
  await startBooking(page);
  const marks = drawer(page).getByRole("button", { name: /PT-/ }).locator("mark");
  await drawer(page)
    .getByRole("textbox", { name: /^Patient/ })
    .fill(`LINDQ märta ${tag}`);
  await expect(marks).toHaveText(["Marta", "Lindq", tag]);
  await drawer(page)
    .getByRole("textbox", { name: /^Patient/ })
    .fill("0172.555.0142");
  await expect(marks.first()).toHaveText("172 555 0142");
});

test("two parts of a name and digits of the phone find one of two namesakes, and what matched is marked; a birth date does too", async ({
  page,
}) => {
  const [here, away] = [`+49 172 ${String(Date.now()).slice(-8)}`, "+49 30 900800"];
  const tag = Math.random().toString(36).slice(2, 8);
  const clinic = await aClinic({
    patients: [
      { name: `Marta Lindqvist ${tag}`, phone: here, birthDate: "1984-03-12" },
      { name: `Marta Lindqvist-${tag}`, phone: away, birthDate: "1990-07-01" },
    ],
  });
  await openDayOf(page, clinic);
  await startBooking(page);
  const search = drawer(page).getByRole("textbox", { name: /^Patient/ });
  const found = drawer(page)
    .getByRole("region", { name: "Matching patients" })
    .getByRole("button", { name: /PT-/ })
    .filter({ hasText: tag });
  await search.fill(`lindq marta ${tag}`);
  await expect(found).toHaveCount(2);
  await search.fill(`lindq marta 0172 ${tag}`);
  await expect(found).toHaveCount(1);
  await expect(found).toContainText("12 Mar 1984");
  await expect(found.locator("mark")).toHaveText(["Marta", "Lindq", tag, "172"]);
  await search.fill("lindq marta 0172"); // as it is typed at a desk: whoever is found has the number
  await expect(found).toHaveCount(1);
  await search.fill(`12.03.1984 ${tag}`);
  await expect(found).toContainText("12 Mar 1984");
  await search.fill(`1 Jul 1990 ${tag}`);
  await expect(found).toContainText("1 Jul 1990");
});

test("H-A7 two clicks and Enter book once, and the button is busy meanwhile", async ({ page }) => {
  const marta = once("Marta Lindqvist");
  const clinic = await aClinic({ patients: [{ name: marta }] });
  await openDayOf(page, clinic);
  await startBookingFor(page, marta, "Consultation");
  await wishFor(page, clinic.tuesday, "12:00");
  let sent = 0;
  await page.route("**/api/trpc/desk.book*", async (route) => {
    sent++;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await route.continue();
  });
  const before = await countOfAppointments();
  const book = drawer(page).getByRole("button", { name: "Book 12:00" });
  await book.dblclick();
  await expect(book).toHaveAttribute("aria-busy", "true");
  await page.keyboard.press("Enter");
  const ref = await openVisitRef(page);
  expect(sent).toBe(1);
  expect(await countOfAppointments()).toBe(before + 1);
  expect(await recordsOf(ref)).toMatchObject({ calls: ["FIRST"], changes: 1 });
});

test("H-A6 a refused booking keeps the fields, says why, and can be tried again; a cancelled visit does not block", async ({ page }) => {
  const marta = once("Marta Lindqvist");
  const clinic = await aClinic({ patients: [{ name: marta }] });
  await openDayOf(page, clinic);
  await startBookingFor(page, marta, "Consultation");
  await wishFor(page, clinic.tuesday, "13:00");
  await page.route(
    "**/api/trpc/desk.book*",
    async (route) => {
      const postData = (route.request().postData() ?? "").replace(/"startsAt":"[^"]*"/, '"startsAt":"soon"');
      const response = await route.fetch({ postData });
      expect(response.status()).toBe(400);
      await route.fulfill({ response, status: 409 }); // the browser's console may name a conflict, and nothing else
    },
    { times: 1 },
  );
  await confirmBooking(page);
  await expect(drawer(page).getByRole("alert")).toBeFocused();
  await expect(drawer(page).getByRole("alert")).toContainText("Nothing was changed.");
  await expect(drawer(page).locator("form").getByText(marta, { exact: true })).toBeVisible();
  await expect(drawer(page).getByLabel("Wished start")).toHaveValue("13:00");
  await drawer(page).getByRole("button", { name: "Book 13:00" }).click();
  const first = await openVisitRef(page);
  await drawer(page).getByRole("button", { name: "Cancel visit" }).click();
  await drawer(page).getByLabel("Reason").selectOption({ label: "The patient asked" });
  await drawer(page).getByRole("button", { name: "Cancel visit" }).last().click();
  await expect(drawer(page).getByText("Cancelled.", { exact: true })).toBeVisible();
  await expect(drawer(page).getByText("Cancelled, The patient asked")).toBeVisible();
  await page.keyboard.press("Escape");
  await startBookingFor(page, marta, "Consultation");
  await wishFor(page, clinic.tuesday, "13:00");
  await drawer(page).getByRole("button", { name: "Book 13:00" }).click();
  const second = await openVisitRef(page);
  expect(second).not.toBe(first);
  expect([await statusOf(first), await statusOf(second)]).toEqual(["CANCELLED", "CONFIRMED"]);
});

test("H-J3 a time that was taken elsewhere is named, leaves the list, and the form stays", async ({ page }) => {
  const [marta, jonas] = [once("Marta Lindqvist"), once("Jonas Albrecht")];
  const clinic = await aClinic({ doctors: ["Dr Ada Winter"], patients: [{ name: marta }, { name: jonas }] });
  await openDayOf(page, clinic);
  await startBookingFor(page, marta, "Consultation");
  await wishFor(page, clinic.tuesday, "10:00");
  await expect(drawer(page).getByRole("button", { name: "Book 10:00" })).toBeVisible();
  await aVisit(clinic, { patient: jonas, at: "10:00" });
  await confirmBooking(page);
  await expect(drawer(page).getByRole("alert")).toBeFocused();
  await expect(drawer(page).getByRole("alert")).toContainText("The time was taken meanwhile.");
  await expect(drawer(page).getByText("10:00–10:30 is not free")).toBeVisible();
  await expect(drawer(page).locator(".blk3 dl").last()).toContainText(`${jonas}, Consultation, 10:00–10:30`);
  await expect(times(page).first()).toContainText("10:30");
  await expect(drawer(page).locator("form").getByText(marta, { exact: true })).toBeVisible();
});

test.describe("seen from New York", () => {
  test.use({ timezoneId: "America/New_York" });
  // The desk shows the clinic's time and no other, and names its zone: whoever books stands in the clinic or answers its telephone. A page that
  // shows the viewer's own time beside it would be one for patients; so the words of the case that ask for both are answered by never showing two.
  test("H-E3 what is clicked is what is stored and confirmed, under the clinic's date", async ({ page }) => {
    const marta = once("Marta Lindqvist");
    const clinic = await aClinic({ zone: "Asia/Seoul", patients: [{ name: marta }] });
    await openDayOf(page, clinic);
    await startBookingFor(page, marta, "Consultation");
    await wishFor(page, clinic.tuesday, "09:00");
    await drawer(page).getByRole("button", { name: "Book 09:00" }).click();
    const ref = await openVisitRef(page);
    expect(await startOf(ref)).toBe(`${clinic.tuesday}T00:00:00Z`);
    await expect(drawer(page).getByText(/Consultation, Tue .* 09:00–09:30/)).toBeVisible();
    await expect(page.locator(".calwrap [data-visit]", { hasText: ref })).toContainText("09:00");
    await expect(page.locator(".phead .zone")).toContainText("Asia/Seoul");
    await expect(page.locator("main")).not.toContainText(/(19|20):00–(19|20):30/); // what the clock in New York shows then
  });
});
