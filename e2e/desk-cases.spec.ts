import { choosePatient, chooseTreatment, drawer, openDesk, startBooking } from "./actions/desk";
import { openDayOf, wishFor } from "./actions/desk-day";
import { aClinic, onCallDeskIsHired } from "./preconditions/a-clinic";
import { aVisit } from "./preconditions/a-visit";
import { signedInAs } from "./preconditions/signed-in";
import { expect, test } from "./support/test";

test.beforeAll(onCallDeskIsHired);

const once = (name: string) => `${name} ${Math.random().toString(36).slice(2, 8)}`;

test("H-L1 any valid name is shown as it is spelled: in card, drawer, search and print", async ({ page }) => {
  await signedInAs(page, "onCallDesk");
  const tag = Math.random().toString(36).slice(2, 8);
  const zoe = `Zoë 🤡 Ünal 𝔄 é ${tag}`;
  const clinic = await aClinic({ patients: [{ name: zoe }] });
  const visit = await aVisit(clinic, { patient: zoe, at: "10:00" });
  await openDayOf(page, clinic);
  await expect(page.locator(".calwrap [data-visit]")).toContainText(zoe);
  await page.locator(".calwrap [data-visit]").click();
  await expect(drawer(page).getByText(zoe)).toBeVisible();
  await page.keyboard.press("Escape");
  await startBooking(page);
  await drawer(page)
    .getByRole("textbox", { name: /^Patient/ })
    .fill(`unal ${tag}`);
  await expect(drawer(page).getByRole("button", { name: /PT-/ })).toContainText(zoe);
  await page.emulateMedia({ media: "print" });
  await expect(page.locator(".agenda [data-visit]")).toContainText(zoe);
  expect(visit.ref).toMatch(/^APT-/);
});

test("H-M3 filters, suggestions, blockers, search and page source name nothing of a clinic out of scope", async ({ page }) => {
  await signedInAs(page, "onCallDesk");
  const [person, doctor, treatment] = [once("Planted Person"), once("Dr Planted"), once("Planted Treatment")];
  const foreign = await aClinic({ doctors: [doctor], treatments: [{ name: treatment, minutes: 30 }], patients: [{ name: person }] });
  const visit = await aVisit(foreign, { patient: person, at: "10:00" });

  await signedInAs(page, "berlinDesk"); // front desk of another clinic of the same tenant group
  const heard: string[] = [];
  page.on("response", async (response) => {
    if (/\/api\/trpc|\/desk/.test(response.url())) heard.push(await response.text().catch(() => ""));
  });
  await openDesk(page);
  await startBooking(page);
  await choosePatient(page, person);
  await chooseTreatment(page, "Follow-up");
  await wishFor(page, foreign.tuesday, "10:00");
  // the person's other visit is in the way; where and with whom is not said
  await expect(drawer(page).locator(".blk3, .fre").first()).toBeVisible();
  const refused = await page.goto(`/desk?clinic=${foreign.ref}`);
  await expect(page.getByRole("heading", { name: `You cannot see ${foreign.ref}.` })).toBeAttached();
  heard.push((await refused?.text()) ?? "", await page.content());
  await openDesk(page);
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Find a reference" }).getByRole("combobox").fill(visit.ref);
  await expect(page.getByText("No reference matches in your clinics.")).toBeVisible();
  await page.keyboard.press("Escape");
  heard.push(await page.content());
  for (const secret of [doctor, treatment, visit.id, visit.ref, foreign.id, Object.values(foreign.doctors)[0] ?? ""])
    expect(heard.filter((text) => text.includes(secret)).length, secret).toBe(0);
});

test("H-N2 a full day of 180 visits is all there, with its total, and more rows come once each", async ({ page }) => {
  test.setTimeout(480_000);
  await signedInAs(page, "onCallDesk");
  const names = Array.from({ length: 12 }, (_, n) => `${once("P")} ${n}`);
  const clinic = await aClinic({ doctors: ["Dr Ada Winter"], seats: 12, patients: names.map((name) => ({ name })) });
  const clocks = Array.from({ length: 15 }, (_, n) => `${String(9 + Math.floor(n / 2)).padStart(2, "0")}:${n % 2 === 0 ? "00" : "30"}`);
  for (const at of clocks) await Promise.all(names.slice(0, 4).map((patient) => aVisit(clinic, { patient, at })));
  for (const at of clocks) await Promise.all(names.slice(4, 8).map((patient) => aVisit(clinic, { patient, at })));
  for (const at of clocks) await Promise.all(names.slice(8).map((patient) => aVisit(clinic, { patient, at })));
  await openDayOf(page, clinic);
  await expect(page.locator(".calwrap [data-visit]")).toHaveCount(180);
  await expect(page.getByRole("button", { name: "180 booked" })).toBeVisible();
  await expect(page.locator(".ch")).toContainText("180 visits");
  await page.setViewportSize({ width: 390, height: 844 });
  const lines = page.locator(".agenda [data-visit]");
  await expect(lines).toHaveCount(180);
  await expect(page.locator(".agenda .tot p")).toHaveText("180 visits");
  await expect(lines.last()).toContainText("16:00");
  expect(new Set(await lines.evaluateAll((all) => all.map((line) => (line as HTMLElement).dataset.visit))).size).toBe(180);
  await lines.last().scrollIntoViewIfNeeded();
  await expect(lines.last()).toBeInViewport();

  // The queue of their commands comes in pages: "more" pressed twice at once brings the next one, none twice.
  await signedInAs(page, "staff");
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`/operations/stories?clinic=${clinic.ref}`);
  const rows = page.locator("tr[data-row]");
  await expect(rows.first()).toBeVisible();
  for (;;) {
    const more = page.getByRole("button", { name: "Show more rows" });
    if ((await more.count()) === 0) break;
    const before = await rows.count();
    await more.dblclick();
    await expect.poll(() => rows.count()).toBeGreaterThan(before);
  }
  const ids = await rows.evaluateAll((all) => all.map((row) => (row as HTMLElement).dataset.row));
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length).toBe(180);
});

test("two matches are told apart by birth date and last visit", async ({ page }) => {
  await signedInAs(page, "onCallDesk");
  const tag = Math.random().toString(36).slice(2, 8);
  const clinic = await aClinic({
    patients: [
      { name: `Marta Lindqvist ${tag}`, birthDate: "1984-03-12" },
      { name: `Marta Lindkvist ${tag}`, birthDate: "1990-07-01" },
    ],
  });
  await openDayOf(page, clinic);
  await startBooking(page);
  await drawer(page)
    .getByRole("textbox", { name: /^Patient/ })
    .fill(`marta ${tag}`);
  const matches = drawer(page).getByRole("region", { name: "Matching patients" }).getByRole("button", { name: /PT-/ });
  await expect(matches).toHaveCount(2);
  await expect(matches.filter({ hasText: "Lindqvist" })).toContainText("no visit yet");
  await expect(matches.filter({ hasText: "Lindqvist" })).toContainText("12 Mar 1984");
  await expect(matches.filter({ hasText: "Lindkvist" })).toContainText("1 Jul 1990");
});
