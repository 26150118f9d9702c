import { confirmBooking, drawer, fillBooking, openDesk, openVisitRef } from "./actions/desk";
import { cutTheWayTo, loseTheAnswerOf } from "./actions/lose-the-answer";
import { anotherBrowser, signedInAs, speaking } from "./preconditions/signed-in";
import { countOfAppointments, recordsOf } from "./questions/records";
import { expect, test } from "./support/test";

const keptKeys = () => Object.keys(window.localStorage).filter((name) => name.startsWith("desk-command:"));

test("a booking whose answer is lost is retried under its key and changes the appointment once", async ({ page, browser }) => {
  await signedInAs(page, "berlinDesk");
  await fillBooking(page);
  const before = await countOfAppointments();
  await loseTheAnswerOf(page, "desk.book");
  await confirmBooking(page);

  const alert = drawer(page).getByRole("alert");
  await expect(alert).toContainText("We kept your request key: retrying cannot book twice.");
  await expect(drawer(page).getByText("Form locked while we confirm")).toBeVisible();
  await expect(drawer(page).getByLabel("Treatment")).toBeDisabled();
  await expect(drawer(page).getByRole("button", { name: "Change" })).toHaveCount(0);
  expect(await countOfAppointments()).toBe(before + 1);
  const kept = await page.evaluate(() => JSON.stringify(window.localStorage));
  expect(kept).not.toMatch(/birke/i); // opaque ids only

  await page.reload();
  await expect(drawer(page).getByRole("alert")).toContainText("Sent, no answer");
  await drawer(page).getByRole("button", { name: "Retry now" }).click();

  await expect(drawer(page).getByText("It had been done already", { exact: false })).toBeVisible();
  const ref = await openVisitRef(page);
  expect(await countOfAppointments()).toBe(before + 1);
  expect(await recordsOf(ref)).toMatchObject({ calls: ["FIRST", "REPLAYED"], changes: 1, appointments: 1 });
  expect(await page.evaluate(keptKeys)).toEqual([]);

  // STAFF sees the same: called twice, changed once.
  const staff = await anotherBrowser(browser, "staff");
  // a row that comes later waits behind the counter, so the queue is opened again until it is there
  await expect(async () => {
    await staff.goto(`/operations/delivery?q=${ref}`);
    await expect(staff.getByRole("row", { name: /daily-load-v1/ })).toContainText("Processed", { timeout: 2_000 });
  }).toPass({ timeout: 60_000 });
  const row = staff.getByRole("row", { name: /HTTP command/ });
  await expect(row).toContainText("Duplicate");
  await expect(row).toContainText("2 calls");
  await expect(row).toContainText("Created 1×");
  await row.getByRole("button").click();
  await expect(staff.getByRole("complementary")).toContainText("Appointment changed once.");
  await expect(staff.getByRole("complementary")).toContainText("Called again, stored answer 201");
});

test("the result can be looked up instead of sending again", async ({ page }) => {
  await signedInAs(page, "berlinDesk");
  await fillBooking(page, { time: 1 });
  await loseTheAnswerOf(page, "desk.book");
  await confirmBooking(page);
  await drawer(page).getByRole("button", { name: "Look up the result" }).click();
  const ref = await openVisitRef(page);
  expect(await recordsOf(ref)).toMatchObject({ calls: ["FIRST"], changes: 1 });
});

test("a command that never left is found not stored, and the retry books once", async ({ page }) => {
  await signedInAs(page, "berlinDesk");
  await fillBooking(page, { time: 2 });
  const before = await countOfAppointments();
  await cutTheWayTo(page, "desk.book");
  await confirmBooking(page);
  await drawer(page).getByRole("button", { name: "Look up the result" }).click();
  await expect(drawer(page).getByText("Looked up, no result stored")).toBeVisible();
  expect(await countOfAppointments()).toBe(before);
  await drawer(page).getByRole("button", { name: "Retry now" }).click();
  const ref = await openVisitRef(page);
  expect(await recordsOf(ref)).toMatchObject({ calls: ["FIRST"], changes: 1 });
  expect(await countOfAppointments()).toBe(before + 1);
});

test("an open key is of no use elsewhere and is cleared at sign-out", async ({ page, browser }) => {
  await signedInAs(page, "berlinDesk");
  await fillBooking(page, { time: 3 });
  await cutTheWayTo(page, "desk.book");
  await confirmBooking(page);
  await expect(drawer(page).getByRole("alert")).toBeVisible();
  const [name] = await page.evaluate(keptKeys);
  const pending = await page.evaluate((key) => JSON.parse(window.localStorage.getItem(key) ?? "{}") as { key: string }, name ?? "");
  expect(pending.key).toMatch(/^[0-9a-f-]{36}$/);

  // The desk of another clinic gets hold of it, and of its place in the browser: nothing waits there, and asking for Berlin's answer finds no such clinic.
  const before = await countOfAppointments();
  const seoul = await anotherBrowser(browser, "seoulDesk");
  await speaking(seoul, "en");
  await openDesk(seoul);
  await seoul.evaluate(([at, text]) => window.localStorage.setItem(at as string, text as string), [name, JSON.stringify(pending)]);
  await openDesk(seoul);
  await expect(drawer(seoul).getByRole("alert")).toHaveCount(0);
  const sent = await seoul.evaluate(
    async ([clinicId, key]) => {
      const input = encodeURIComponent(JSON.stringify({ json: { clinicId, key } }));
      const answer = await fetch(`/api/trpc/desk.lookUp?input=${input}`, { headers: { "x-trpc-source": "browser" } });
      return answer.status;
    },
    [(name ?? "").split(":").at(-1), pending.key],
  );
  expect(sent).toBe(404);
  expect(await countOfAppointments()).toBe(before);
  await seoul.context().close();

  await page.getByRole("button", { name: /^Account/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Book once, and be able to show it.");
  expect(await page.evaluate(keptKeys)).toEqual([]);
});
