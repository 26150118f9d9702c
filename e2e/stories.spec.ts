import { readFileSync } from "node:fs";
import { lookAtRows } from "@/db/testing/e2e-world";
import { aCommand, type SentCommand, writeRows } from "./preconditions/a-command";
import { signedInAs, speaking } from "./preconditions/signed-in";
import { expectNoAxeViolation } from "./questions/accessibility";
import { expectFitsEachWidth } from "./questions/layout";
import { expect, test } from "./support/test";

let command: SentCommand;
const records = (page: import("@playwright/test").Page) => page.getByRole("region", { name: "Records in the order of time" });

test.beforeAll(async () => {
  command = await aCommand({ calls: 3 });
});
test.beforeEach(({ page }) => signedInAs(page, "staff"));

test("a command that came three times is told as three calls, one change and one notification", async ({ page }) => {
  await page.goto(`/operations/delivery?q=${command.ref}`);
  await page.getByRole("row", { name: /daily-load-v1/ }).click();
  await page.getByRole("complementary").getByRole("link", { name: "Story" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(
    "This command arrived 3 times, changed the appointment once, and sent 1 notification.",
  );
  await expect(page.getByText("Complete · no work left")).toBeVisible();
  const counted = await lookAtRows(
    ({ sql }) => sql<{ calls: number; changes: number; sent: number }[]>`
      select (select count(*)::int from command_calls where command_id = ${command.commandId}) as calls,
        (select count(*)::int from appointment_history where command_id = ${command.commandId}) as changes,
        (select count(*)::int from notification_deliveries where command_id = ${command.commandId} and outcome = 'SENT') as sent`,
  );
  expect(counted[0]).toEqual({ calls: 3, changes: 1, sent: 1 });
});

test("the records stand in the order of time, one instant for the transaction, each as a sentence", async ({ page }) => {
  await page.goto(`/operations/stories/${command.commandId}`);
  const rows = records(page).getByRole("listitem");
  await expect(rows.first()).toContainText("Call 1 was the first under its key and was answered with 201.");
  const transaction = rows.filter({ hasText: "One transaction" });
  await expect(transaction).toHaveCount(1);
  for (const sentence of [
    "The key was stored with its fingerprint and the answer 201.",
    "A message to the patient was recorded",
    "The event AppointmentCreated, sequence 1, was written to the outbox.",
  ])
    await expect(transaction).toContainText(sentence);
  await expect(records(page)).toContainText("The event log took it at partition");
  await expect(records(page)).toContainText("daily-load-v1 processed the event in attempt 1 of 5.");
  await expect(records(page).getByText(/^Call [23] came .* after the one before with the same key\./)).toHaveCount(2);
  await expect(records(page).getByText("Key and fingerprint match: no new change.")).toHaveCount(2);
  const times = await records(page)
    .locator("li > span time")
    .evaluateAll((all) => all.map((one) => one.getAttribute("datetime")));
  expect(times).toEqual([...times].sort());
});

test("a node of a delivery leads to its evidence, and back", async ({ page }) => {
  await page.goto(`/operations/stories/${command.commandId}`);
  await records(page)
    .getByRole("link", { name: /daily-load-v1 processed/ })
    .click();
  await expect(page.getByRole("complementary").getByRole("heading", { level: 2 })).toContainText(command.ref);
  await page.goBack();
  await expect(records(page)).toBeVisible();
});

test("a command is found by every identity, walked by keys and opened with Enter", async ({ page }) => {
  const [ids] = await lookAtRows(
    ({ sql }) => sql<{ event_id: string; fingerprint: string; intent_id: string }[]>`
      select o.event_id, k.fingerprint, n.id as intent_id
      from outbox o
      join idempotency_keys k on k.command_id = o.command_id
      join notification_intents n on n.command_id = o.command_id
      where o.command_id = ${command.commandId}`,
  );
  await page.goto("/operations/stories");
  for (const identity of [command.ref, command.key, command.commandId, ids?.event_id, ids?.fingerprint.slice(0, 10), ids?.intent_id]) {
    await page.getByRole("searchbox").fill(identity as string);
    await expect(page.locator("tr[data-row]")).toHaveCount(1);
    await expect(page.locator("tr[data-row]")).toContainText(command.ref);
    await expect(page).toHaveURL(new RegExp(`q=${identity}`));
    await page.getByRole("searchbox").fill("APT-NOBODY");
    await expect(page.getByText("No command matches.")).toBeVisible();
  }
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(page.locator("tr[data-row]").first()).toBeAttached();
  await page.keyboard.press("j");
  await expect(page.locator("tr[data-row]").first()).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1 })).toContainText("This command arrived");
});

test("a story of two hundred deliveries is read in parts", async ({ page }) => {
  const long = await aCommand();
  await writeRows(
    ({ sql }) => sql`
      insert into inbox_deliveries (tenant_group_id, clinic_id, inbox_id, consumer, event_id, command_id, outcome, log_id, partition, "offset", worker,
        started_at, duration_ms, at)
      select tenant_group_id, clinic_id, id, consumer, event_id, command_id, 'DUPLICATE', log_id, partition, first_offset, 'worker', now(), 1,
        clock_timestamp() + n * interval '1 second'
      from inbox cross join generate_series(1, 200) n
      where command_id = ${long.commandId} and consumer = 'daily-load-v1'`,
  );
  await page.goto(`/operations/stories/${long.commandId}`);
  const duplicates = records(page).getByText(/came again to daily-load-v1/);
  const more = page.getByRole("button", { name: /^Show more records/ });
  await expect(more).toBeVisible();
  expect(await duplicates.count()).toBeLessThan(60);
  while (await more.isVisible()) {
    const before = await duplicates.count();
    await more.click();
    await expect.poll(() => duplicates.count()).toBeGreaterThan(before);
  }
  expect(await duplicates.count()).toBe(200);
});

test("gaps are named where they end, and tries in a row are folded to the first and the last", async ({ page }) => {
  const slow = await aCommand({ calls: 2 });
  await writeRows(async ({ sql }) => {
    await sql`update command_calls set called_at = called_at - interval '12 seconds' where command_id = ${slow.commandId} and outcome = 'FIRST'`;
    await sql`
      insert into inbox_deliveries (tenant_group_id, clinic_id, inbox_id, consumer, event_id, command_id, attempt, outcome, reason_code, log_id, partition,
        "offset", worker, started_at, duration_ms, at)
      select tenant_group_id, clinic_id, id, consumer, event_id, command_id, n, 'RETRYABLE', 'HANDLER_FAILED', log_id, partition, first_offset, 'worker',
        now(), 1, clock_timestamp() + n * interval '1 minute'
      from inbox cross join generate_series(1, 5) n
      where command_id = ${slow.commandId} and consumer = 'daily-load-v1'`;
  });
  await page.goto(`/operations/stories/${slow.commandId}`);
  await expect(records(page)).toContainText("called again after 12 s");
  await expect(records(page)).toContainText("daily-load-v1: no confirmation for 1 min");
  await expect(records(page)).toContainText("daily-load-v1: 3 more tries");
  const tries = records(page).getByText(/could not finish attempt/);
  await expect(tries).toHaveCount(2);
  await page.getByRole("button", { name: "Show 3 more tries" }).click();
  await expect(tries).toHaveCount(5);
  await expectNoAxeViolation(page);
});

test("the evidence leaves as JSON without payload; who looked and who took it away is in the audit", async ({ page }) => {
  await page.goto(`/operations/stories/${command.commandId}`);
  const arriving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export evidence" }).click();
  const file = await arriving;
  expect(file.suggestedFilename()).toContain(command.ref);
  const text = readFileSync(await file.path(), "utf8");
  const evidence = JSON.parse(text) as { commandId: string; counts: { calls: number; records: number }; records: unknown[] };
  expect(evidence).toMatchObject({ commandId: command.commandId, counts: { calls: 3 } });
  expect(evidence.records).toHaveLength(evidence.counts.records);
  expect(text).not.toMatch(/"(payload|body|name|phone|email|note)"/);
  await page.reload();
  await expect(records(page)).toBeVisible();
  const acts = await lookAtRows(
    ({ sql }) => sql<{ act: string; times: number }[]>`
      select act, count(*)::int as times from audit_entries where subject_id = ${command.commandId} group by act order by act`,
  );
  expect(acts).toEqual([
    { act: "story.exported", times: 1 },
    { act: "story.viewed", times: 1 },
  ]);
});

test("what is not finished is named with its age and the way to its evidence", async ({ page }) => {
  const stopped = await aCommand();
  await writeRows(
    ({ sql }) => sql`
      update inbox set state = 'QUARANTINED', quarantined_at = clock_timestamp(), reason_code = 'ATTEMPTS_EXHAUSTED', processed_at = null, effect = null
      where command_id = ${stopped.commandId} and consumer = 'daily-load-v1'`,
  );
  await page.goto(`/operations/stories/${stopped.commandId}`);
  const gaps = page.getByRole("list", { name: "Not finished" });
  await expect(gaps).toContainText(/daily-load-v1 stopped .* ago\. Attempt limit reached; stopped\./);
  await gaps.getByRole("link", { name: "Open evidence" }).click();
  await expect(page.getByRole("complementary")).toContainText("Attempt limit reached; stopped.");
  await writeRows(
    ({ sql }) => sql`
      update inbox set state = 'PROCESSED', quarantined_at = null, reason_code = null, processed_at = clock_timestamp(), effect = 'APPLIED'
      where command_id = ${stopped.commandId} and state = 'QUARANTINED'`,
  );
});

test("a command of another tenant group is not there, a front desk has no right, a wrong address no page", async ({ page }) => {
  const [foreign] = await lookAtRows(
    ({ sql }) => sql<{ command_id: string }[]>`
      select h.command_id from appointment_history h
      join users u on u.tenant_group_id = h.tenant_group_id and u.email = 'desk@ridge.example'
      limit 1`,
  );
  await page.goto(`/operations/stories/${foreign?.command_id}`);
  await expect(page.getByText("This command is not in your clinics.")).toBeVisible();
  await page.goto("/operations/stories/not-an-id");
  await expect(page.getByText("There is nothing here.")).toBeVisible();
  await signedInAs(page, "berlinDesk");
  await page.goto(`/operations/stories/${command.commandId}`);
  await expect(page.getByRole("heading", { name: "You cannot open this page." })).toBeAttached();
  await expect(page.getByText(/It needs the right Staff/)).toBeVisible();
});

for (const locale of ["en", "ko"] as const)
  test(`list and story have no axe violation in either theme, and nothing of them is lost at any width (${locale})`, async ({ page }) => {
    await speaking(page, locale);
    await page.goto("/operations/stories");
    await expect(page.locator("tr[data-row]").first()).toBeAttached();
    await expectFitsEachWidth(page);
    await page.goto(`/operations/stories/${command.commandId}`);
    await expect(page.locator("ol .snd").first()).toBeAttached();
    await expectFitsEachWidth(page, {
      also: async (width) => {
        const rightEdges = await page.locator("ol .snd").evaluateAll((nodes) => nodes.map((node) => node.getBoundingClientRect().right));
        expect(rightEdges.length).toBeGreaterThan(10);
        if (width < 1280) expect(Math.max(...rightEdges)).toBeLessThanOrEqual(width);
      },
    });
  });
