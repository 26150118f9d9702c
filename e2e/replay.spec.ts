import { lookAtRows } from "@/db/testing/e2e-world";
import { aClinic, type OwnClinic, onCallDeskIsHired } from "./preconditions/a-clinic";
import { writeRows } from "./preconditions/a-command";
import { anotherBrowser, inTheme, people, signedInAs, speaking } from "./preconditions/signed-in";
import { plannedReminders, recordsLimitOf, replayedConsumer, replayRightOf, stoppedReminders } from "./preconditions/stopped-reminders";
import { expectNoAxeViolationInEitherTheme } from "./questions/accessibility";
import { expect, test } from "./support/test";

const reason = "Release 4.2 plans these reminders";
let clinic: OwnClinic;
test.beforeAll(onCallDeskIsHired);
test.beforeEach(async ({ page }) => {
  clinic = await aClinic();
  await signedInAs(page, "operator");
});

const queue = () => `/operations/delivery?clinic=${clinic.ref}&view=decision`;
const groups = () => `/operations/delivery/groups?clinic=${clinic.ref}`;
const done = { state: "PROCESSED", reminders: 1, handled: 1 };
const requests = () =>
  lookAtRows(
    ({ sql }) => sql<{ state: string; processed: number | null }[]>`
      select state, processed from replay_requests where clinic_id = ${clinic.id} and job_ref is not null`,
  );

test("one stopped row: five checks, a reason, a double Enter, one run, and the row says how it ended", async ({ page }) => {
  const visits = await stoppedReminders(clinic, 1);
  await page.goto(queue());
  await page.locator("tr[data-row]").first().click();
  const panel = page.getByRole("complementary");
  await panel.getByRole("button", { name: "Review replay" }).click();
  await expect(panel.getByText("5 of 5 pass")).toBeVisible();
  for (const check of [
    "Scope matches",
    "Request is bound to this range",
    "Original consumer",
    "State may be replayed",
    "Outcome will be recorded",
  ])
    await expect(panel.getByText(check)).toBeVisible();
  await expect(panel.getByText(replayedConsumer).first()).toBeVisible();
  await expect(panel.locator("[data-check=STATE]")).toContainText("Quarantine or Retry wait");
  await expect(panel.locator("[data-check=OUTCOME_RECORDED]")).toContainText(
    "audit, records, receipt · after Processed, Duplicate: Read result",
  );
  await expect(panel.locator(".chk5")).not.toContainText(/QUARANTINED|RETRYABLE|AUDIT|RECEIPT|readResult/); // no stored code
  await expectNoAxeViolationInEitherTheme(page);

  await panel.getByRole("button", { name: "Approve replay" }).click();
  const words = panel.getByRole("textbox", { name: "Reason" });
  await expect(words).toBeFocused();
  await words.press("Enter");
  await expect(panel.getByText("Name what was mended: at least 8 characters.")).toBeVisible();
  await words.fill(reason);
  await words.press("Enter");
  await page.keyboard.press("Enter"); // a second one, at once
  await expect(panel.getByText("Processed. Read the result.")).toBeVisible();
  expect(await plannedReminders(visits)).toEqual([done]);
  expect(await requests()).toEqual([{ state: "COMPLETED", processed: 1 }]);
  await expect(panel.getByRole("heading", { name: /^Replay RJ-/ })).toBeFocused();
  await expect(panel.locator(".chk5")).toHaveCount(0); // what was checked is over
  await page.reload();
  await expect(panel.getByText("Processed. Read the result.")).toBeVisible(); // and in every other browser
  await expectNoAxeViolationInEitherTheme(page);
});

test("a check that fails turns replay off with its reason and a number, and keeping it is the first choice", async ({ page }) => {
  const visits = await stoppedReminders(clinic, 1);
  await writeRows(
    ({ sql }) =>
      sql`update inbox set log_id = 'another-log' where consumer = ${replayedConsumer} and aggregate_id = ${visits[0] as string}`,
  );
  await page.goto(queue());
  await page.locator("tr[data-row]").first().click();
  const panel = page.getByRole("complementary");
  await panel.getByRole("button", { name: "Review replay" }).click();
  await expect(panel.locator("[data-check=REQUEST_BOUND]")).toContainText("Fail");
  await expect(panel.locator("[data-check=REQUEST_BOUND]")).toContainText("another event log");
  await expect(panel.getByText("1 of 5 fails")).toBeVisible();
  const approve = panel.getByRole("button", { name: "Approve replay" });
  await expect(approve).toHaveAttribute("aria-disabled", "true");
  await expect(approve).toHaveAccessibleDescription(/Replay is off: .* Recorded as refusal RF-/);
  await approve.press("Enter");
  await expect(panel.getByRole("textbox", { name: "Reason" })).toHaveCount(0);
  await expectNoAxeViolationInEitherTheme(page);
  const noted = await lookAtRows(
    ({ sql }) => sql<{ failed: string[] }[]>`select failed from replay_refusals where clinic_id = ${clinic.id}`,
  );
  expect(noted).toEqual([{ failed: ["REQUEST_BOUND"] }]);
  await panel.getByRole("button", { name: "Keep quarantined" }).click();
  await expect(panel.getByRole("textbox", { name: "Reason" })).toBeVisible();
  expect(await requests()).toEqual([]);
});

test("a range from its reason group: frozen, canary first, run, and a receipt that adds up", async ({ page }) => {
  const visits = await stoppedReminders(clinic, 5);
  await page.goto(groups());
  await page.getByRole("button", { name: /^Open range replay/ }).click();
  const form = page.locator(".rf");
  await expect(form.getByRole("heading", { name: "Manifest" })).toBeFocused();
  await expect(form.getByText("5 of 5 in the group")).toBeVisible();
  await expect(form.getByText("5 of 5 pass")).toBeVisible();
  const late = await stoppedReminders({ ...clinic, doctors: { other: Object.values(clinic.doctors)[1] as string } }, 1);
  await expectNoAxeViolationInEitherTheme(page);

  await form.getByRole("textbox", { name: /^Max records/ }).fill("4");
  await expect(form.getByText("The number of records changed: read again to freeze them.")).toBeVisible();
  await form.getByRole("textbox", { name: /^Max records/ }).fill("5");
  await form.getByRole("textbox", { name: /^Canary first/ }).fill("2");
  await form.getByRole("textbox", { name: "Reason" }).fill(reason);
  await form.getByRole("button", { name: "Approve replay" }).click();
  const jobs = page.getByRole("complementary", { name: "Replay jobs" });
  const job = jobs.locator("[data-job]").first();
  await expect(job.getByText("Completed")).toBeVisible();
  const receipt = job.getByRole("table", { name: /^Receipt of RJ-/ });
  await expect(receipt.locator("[data-outcome=PROCESSED]")).toContainText("5");
  await expect(receipt).toContainText("adds up, 5 = 5");
  await expect(job.getByRole("table", { name: "Offsets of the operating group before and after" })).toBeVisible();
  expect(await plannedReminders(visits)).toEqual(Array(5).fill(done));
  await job.getByRole("button", { name: "List the 5 records" }).click();
  await expect(job.getByRole("region", { name: /^Records of RJ-/ }).locator("[data-item=PROCESSED]")).toHaveCount(5);
  expect(await plannedReminders(late)).toEqual([{ state: "QUARANTINED", reminders: 0, handled: 0 }]); // it came after the freeze
  const download = page.waitForEvent("download");
  await job.getByRole("button", { name: "Export receipt" }).click();
  expect((await download).suggestedFilename()).toMatch(/^receipt-RJ-.*\.json$/);
  await expectNoAxeViolationInEitherTheme(page);
});

test("O-B whatever is closed, left or loaded again meanwhile, a replay goes on: only Cancel cancels", async ({ page }) => {
  const visits = await stoppedReminders(clinic, 4);
  await page.goto(groups());
  await page.getByRole("button", { name: /^Open range replay/ }).click();
  const form = page.locator(".rf");
  await form.getByRole("textbox", { name: /^Canary first/ }).fill("1");
  await form.getByRole("textbox", { name: /^Rate/ }).fill("1");
  await form.getByRole("textbox", { name: "Reason" }).fill(reason);
  await form.getByRole("button", { name: "Approve replay" }).click();
  const job = page.locator("[data-job]").first();
  await expect(job).toBeVisible();
  await page.keyboard.press("Escape"); // closes what is open, and nothing else
  await page.goto(queue());
  await page.goto("about:blank");
  await page.goto(groups());
  await expect(job.getByText("Completed")).toBeVisible();
  expect(await plannedReminders(visits)).toEqual(Array(4).fill(done));
});

test("above the clinic's limit somebody else must approve, and nothing runs before", async ({ page, browser }) => {
  const visits = await stoppedReminders(clinic, 2);
  await recordsLimitOf(clinic.id, 1);
  await replayRightOf(people.colleague, clinic.id, true);
  try {
    await page.goto(groups());
    await page.getByRole("button", { name: /^Open range replay/ }).click();
    const form = page.locator(".rf");
    await expect(form.getByText("A second person must approve.")).toBeVisible();
    await form.getByRole("textbox", { name: "Reason" }).fill(reason);
    await form.getByRole("button", { name: "Ask to approve" }).click();
    const job = page.locator("[data-job]").first();
    await expect(job.getByText("Waits for a second person")).toBeVisible();
    await job.getByRole("button", { name: "Approve as second person" }).click();
    await expect(job.getByText(/the second person must be somebody else/)).toBeVisible();
    expect((await plannedReminders(visits)).map(({ state }) => state)).toEqual(["QUARANTINED", "QUARANTINED"]);

    const other = await anotherBrowser(browser, "colleague");
    await other.goto(groups());
    await other.locator("[data-job]").first().getByRole("button", { name: "Approve as second person" }).click();
    await expect(job.getByText("Completed")).toBeVisible();
    expect(await plannedReminders(visits)).toEqual([done, done]);
    await other.context().close();
  } finally {
    await replayRightOf(people.colleague, clinic.id, false);
  }
});

test("STAFF without the right see replay off, with the right by name, on the row and on the group", async ({ page }) => {
  await stoppedReminders(clinic, 1);
  await signedInAs(page, "staff");
  await page.goto(queue());
  await page.locator("tr[data-row]").first().click();
  const review = page.getByRole("complementary").getByRole("button", { name: "Review replay" });
  await expect(review).toHaveAttribute("aria-disabled", "true");
  await expect(review).toHaveAccessibleDescription(/APPOINTMENT_REPLAY_OPERATOR/);
  await page.goto(groups());
  const open = page.getByRole("button", { name: /^Open range replay/ });
  await expect(open).toHaveAttribute("aria-disabled", "true");
  await expect(open).toHaveAccessibleDescription(/APPOINTMENT_REPLAY_OPERATOR/);
});

test("the range form in Korean and in the dark", async ({ page }) => {
  await stoppedReminders(clinic, 1);
  await speaking(page, "ko");
  await inTheme(page, "dark");
  await page.goto(groups());
  await page.getByRole("button", { name: /^구간 replay 열기/ }).click();
  await expect(page.locator(".rf").getByText("5개 중 5개 통과")).toBeVisible();
  await expectNoAxeViolationInEitherTheme(page);
});
