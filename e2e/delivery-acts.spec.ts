import type { Page } from "@playwright/test";
import { aCommand, type SentCommand } from "./preconditions/a-command";
import { anotherBrowser, signedInAs } from "./preconditions/signed-in";
import { changeEvidence, removeDeliveries, type Stopped, stoppedDeliveries } from "./preconditions/stopped-deliveries";
import { expectNoAxeViolationInEitherTheme } from "./questions/accessibility";
import { workOn } from "./questions/tasks";
import { expect, test } from "./support/test";

let command: SentCommand;
const made: Stopped[] = [];
const stopped = async (wish = {}): Promise<Stopped> => {
  const rows = await stoppedDeliveries(command, wish);
  made.push(rows);
  return rows;
};
test.beforeAll(async () => {
  command = await aCommand();
});
test.afterAll(() => removeDeliveries(...made));
test.beforeEach(({ page }) => signedInAs(page, "staff"));

const panel = (page: Page) => page.getByRole("complementary");
const rowOf = (page: Page, id: string) => page.locator(`tr[data-row="inbox.${id}"]`);
const queueOf = async (page: Page, { consumer, ids }: Stopped) => {
  await page.goto(`/operations/delivery?consumer=${consumer}`);
  await expect(rowOf(page, ids[0] as string)).toBeVisible();
};
const focusedRow = (page: Page) => page.evaluate(() => document.activeElement?.closest<HTMLElement>("tr[data-row]")?.dataset.row);

test("O-J a whole queue is worked off without a mouse: focus goes on, results stay on their rows", async ({ page }) => {
  const rows = await stopped({ count: 6 });
  const [first, second, third, fourth, fifth, sixth] = rows.ids as [string, string, string, string, string, string];
  await queueOf(page, rows);
  await page.keyboard.press("j");
  await expect.poll(() => focusedRow(page)).toBe(`inbox.${first}`);

  await page.keyboard.press("q");
  await expect(panel(page).getByRole("textbox", { name: /^Reason/ })).toBeFocused();
  await page.keyboard.type("The version is lost for good.");
  await page.keyboard.press("Enter");
  await expect(rowOf(page, first)).toContainText("Kept by you");
  await expect.poll(() => focusedRow(page)).toBe(`inbox.${second}`);
  await expect(page).toHaveURL(new RegExp(`row=inbox.${second}`));

  await expect(panel(page).getByRole("button", { name: "Keep quarantined" })).toBeVisible();
  await page.keyboard.press("a");
  await expect(rowOf(page, second)).toContainText("Yours now");
  await expect.poll(() => focusedRow(page)).toBe(`inbox.${third}`);
  await page.keyboard.press("Escape");
  await expect(panel(page)).toHaveCount(0);

  await page.keyboard.press("x");
  for (const _ of [fourth, fifth, sixth]) await page.keyboard.press("j");
  await page.keyboard.press("Shift+X");
  const bulk = page.getByRole("region", { name: "Bulk actions" });
  await expect(bulk).toContainText("4 selected");
  await expect(bulk).toContainText("Replay is approved one by one");
  await expect(page.getByText(/^Paused while you read/)).toBeVisible();
  const keep = bulk.getByRole("button", { name: "Keep quarantined" });
  for (let tab = 0; tab < 12 && !(await keep.evaluate((button) => button === document.activeElement)); tab++)
    await page.keyboard.press("Tab");
  await expect(keep).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(bulk.getByRole("textbox", { name: /^Reason for 4 rows/ })).toBeFocused();
  await page.keyboard.type("Known since noon.");
  await page.keyboard.press("Enter");
  for (const id of [third, fourth, fifth, sixth]) await expect(rowOf(page, id)).toContainText("Kept by you");
  await expect(bulk).toHaveCount(0);

  for (const id of [first, third, fourth, fifth, sixth]) expect((await workOn(id)).task).toMatchObject({ status: "KEPT" });
  expect((await workOn(second)).task).toMatchObject({ status: "OPEN", assignee_ref: expect.stringMatching(/^ST-/) });
});

test("O-I an act on a row that changed meanwhile is refused: the panel stays, shows what is now, and asks to read it again", async ({
  page,
}) => {
  const rows = await stopped();
  const [id] = rows.ids as [string];
  await queueOf(page, rows);
  await rowOf(page, id).click();
  await panel(page).getByRole("button", { name: "Keep quarantined" }).click();
  await panel(page)
    .getByRole("textbox", { name: /^Reason/ })
    .fill("It is known.");
  await changeEvidence(id, "MISMATCH");
  await page.keyboard.press("Enter");
  const alert = panel(page).getByRole("alert");
  await expect(alert).toContainText(/This row changed at \d\d:\d\d:\d\d\. Read it again before you decide\./);
  await expect(panel(page)).toContainText("MISMATCH");
  expect((await workOn(id)).task).toMatchObject({ status: "OPEN" });
  await expect(panel(page).getByRole("button", { name: "Keep quarantined" })).toHaveAttribute("aria-disabled", "true");
  await expectNoAxeViolationInEitherTheme(page);
  await alert.getByRole("button", { name: "Read again" }).click();
  await expect(alert).toHaveCount(0);
  await panel(page).getByRole("button", { name: "Keep quarantined" }).click();
  await panel(page)
    .getByRole("textbox", { name: /^Reason/ })
    .fill("Now it is known.");
  await page.keyboard.press("Enter");
  await expect(rowOf(page, id)).toContainText("Kept by you");
  expect((await workOn(id)).audited).toEqual(["command.delivery.keepQuarantined REFUSED", "delivery.keepQuarantined DONE"]);
});

test("O-16 a double Enter does it once, and nothing shows success before the server has confirmed it", async ({ page }) => {
  const rows = await stopped();
  const [id] = rows.ids as [string];
  let letGo: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route("**/api/trpc/delivery.acts.*", async (route) => {
    await held;
    await route.continue();
  });
  await queueOf(page, rows);
  await rowOf(page, id).click();
  await panel(page).getByRole("button", { name: "Keep quarantined" }).click();
  await panel(page)
    .getByRole("textbox", { name: /^Reason/ })
    .fill("It is known.");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await expect(panel(page).getByRole("button", { name: "Keep quarantined" })).toHaveAttribute("aria-busy", "true");
  await expect(rowOf(page, id)).not.toContainText("Kept by you");
  expect((await workOn(id)).task).toMatchObject({ status: "OPEN" });
  letGo();
  await expect(rowOf(page, id)).toContainText("Kept by you");
  expect(await workOn(id)).toMatchObject({ notes: ["KEPT: It is known."], audited: ["delivery.keepQuarantined DONE"] });
});

test("after a lost answer the same act goes out under the same key, and is done once", async ({ page }) => {
  const rows = await stopped();
  const [id] = rows.ids as [string];
  await queueOf(page, rows);
  await rowOf(page, id).click();
  await panel(page).getByRole("button", { name: "Keep quarantined" }).click();
  await panel(page)
    .getByRole("textbox", { name: /^Reason/ })
    .fill("It is known.");
  await page.route(
    "**/api/trpc/delivery.acts.*",
    async (route) => {
      await route.fetch();
      await route.abort("connectionfailed");
    },
    { times: 1 },
  );
  await page.keyboard.press("Enter");
  await expect(panel(page).getByRole("alert")).toContainText("Trying again cannot do it twice.");
  await expect(rowOf(page, id)).not.toContainText("Kept by you");
  await panel(page).getByRole("button", { name: "Retry now" }).click();
  await expect(rowOf(page, id)).toContainText("Kept by you");
  expect((await workOn(id)).notes).toEqual(["KEPT: It is known."]);
});

test("a task is taken on and handed over with a note: the colleague finds it under Mine", async ({ page, browser }) => {
  const rows = await stopped();
  const [id] = rows.ids as [string];
  await queueOf(page, rows);
  await rowOf(page, id).click();
  const more = panel(page).getByRole("button", { name: "More" });
  await more.click();
  await page.getByRole("menuitem", { name: "Assign to me" }).click();
  await expect(rowOf(page, id)).toContainText("Yours");
  await more.click();
  await expect(page.getByRole("menuitem", { name: "Assign to me" })).toHaveCount(0);
  await page.getByRole("menuitem", { name: "Hand over" }).click();
  const colleague = await anotherBrowser(browser, "colleague");
  await colleague.goto("/operations/delivery?view=mine");
  const ref = await colleague.evaluate(async () => {
    const answer = await fetch("/api/trpc/session.me", { headers: { "x-trpc-source": "browser" } });
    return JSON.stringify(await answer.json()).match(/ST-[0-9A-Z]{6}/)?.[0];
  });
  await panel(page)
    .getByRole("combobox", { name: "To" })
    .selectOption(ref as string);
  await panel(page).getByRole("textbox", { name: /^Note/ }).fill("The log was restored at noon.");
  await panel(page).getByRole("button", { name: "Hand over" }).click();
  await expect(rowOf(page, id)).toContainText("Handed over");
  await colleague.goto("/operations/delivery?view=mine");
  await expect(rowOf(colleague, id)).toContainText("Yours");
  await rowOf(colleague, id).click();
  await expect(panel(colleague)).toContainText("The log was restored at noon.");
  await expect(panel(colleague)).toContainText("handed it over to");
  expect((await workOn(id)).notes).toEqual(["ASSIGNED", "HANDED_OVER: The log was restored at noon."]);
});

test("O-17 a kept row is settled with reason and name, comes back when its evidence changes, and its words are never deleted", async ({
  page,
}) => {
  const rows = await stopped();
  const [id] = rows.ids as [string];
  await queueOf(page, rows);
  await rowOf(page, id).click();
  await page.keyboard.press("q");
  await panel(page)
    .getByRole("textbox", { name: /^Reason/ })
    .fill("Version 3 is lost for good.");
  await page.keyboard.press("Enter");
  await expect(rowOf(page, id)).toContainText("Kept by you");
  await page.reload();
  await expect(
    page
      .getByRole("rowgroup")
      .or(page.getByRole("rowheader", { name: /^Settled/ }))
      .first(),
  ).toBeVisible();
  await expect(rowOf(page, id)).toContainText(/Kept by ST-/);
  await expect(rowOf(page, id)).toContainText("Version 3 is lost for good.");
  await page.goto(`/operations/delivery?consumer=${rows.consumer}&view=decision`);
  await expect(page.getByText("No row matches these filters.")).toBeVisible();
  await changeEvidence(id, "MISMATCH");
  await expect(rowOf(page, id)).toBeVisible();
  await rowOf(page, id).click();
  await expect(panel(page)).toContainText("Version 3 is lost for good.");
});

test("a waiting row is tried at another time, a held one says who holds it, and a stopped one asks for the replay operator's right", async ({
  page,
}) => {
  const waiting = await stopped({ state: "RETRYABLE", reason: "DATABASE_BUSY" });
  const held = await stopped({ state: "PROCESSING" });
  await queueOf(page, waiting);
  await rowOf(page, waiting.ids[0] as string)
    .getByRole("button", { name: /^Schedule retry/ })
    .click();
  await panel(page).getByText("In 60 min").click();
  await panel(page).getByRole("button", { name: "Schedule retry" }).click();
  await expect(rowOf(page, waiting.ids[0] as string)).toContainText("Retry scheduled");
  expect((await workOn(waiting.ids[0] as string)).notes).toEqual(["RETRY_SCHEDULED"]);
  await queueOf(page, held);
  await rowOf(page, held.ids[0] as string).click();
  await expect(panel(page)).toContainText(/Schedule retry is off: worker-of-the-test holds the lease until \d\d:\d\d:\d\d\./);
  const off = panel(page).getByRole("button", { name: "Schedule retry" });
  await expect(off).toHaveAttribute("aria-disabled", "true");
  await expect(off).toHaveAccessibleDescription(/holds the lease/);
});
