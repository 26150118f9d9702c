import { readFileSync } from "node:fs";
import { lookAtRows } from "@/db/testing/e2e-world";
import { aCommand, type SentCommand, writeRows } from "./preconditions/a-command";
import { signedInAs, speaking } from "./preconditions/signed-in";
import { expectNoAxeViolationInEitherTheme } from "./questions/accessibility";
import { expectFitsEachWidth } from "./questions/layout";
import { expect, test } from "./support/test";

type Page = import("@playwright/test").Page;
let command: SentCommand;
const rows = (page: Page) => page.locator("tr[data-row]");
const panel = (page: Page) => page.getByRole("complementary");
const entriesOf = (act: string) =>
  lookAtRows(
    ({ sql }) => sql<{ result: string; actor_role: string; details: Record<string, unknown>; sealed_seq: string | null }[]>`
      select e.result, e.actor_role, e.details, e.sealed_seq
      from audit_entries e
      join users u on u.tenant_group_id = e.tenant_group_id and u.email = 'staff@harbour.example'
      where e.act = ${act}
      order by e.at desc`,
  );

test.beforeAll(async () => {
  await aCommand(); // its entry is linked to an earlier one
  command = await aCommand();
});
test.beforeEach(({ page }) => signedInAs(page, "staff"));

test("a sign-in, a refusal and a view of evidence stand in the audit, with the role at the time", async ({ page }) => {
  const [row] = await lookAtRows(
    ({ sql }) => sql<{ id: string }[]>`select id from inbox where command_id = ${command.commandId} order by consumer limit 1`,
  );
  const readTwice = async () => {
    await page.goto(`/operations/delivery?row=inbox.${row?.id}`);
    await expect(panel(page).getByText("Scope", { exact: true })).toBeVisible();
  };
  await readTwice();
  await readTwice();
  await page.goto(`/operations/delivery?clinic=CL-NOBODY`);
  await expect(page.getByRole("heading", { name: "You cannot see CL-NOBODY." })).toBeAttached();

  await page.goto("/operations/audit?act=session.signed-in");
  await expect(rows(page).filter({ hasText: "Staff" }).first()).toContainText("Sign in");
  await page.goto("/operations/audit?act=access.refused");
  await expect(rows(page).first()).toContainText("It is not in the clinics of the actor.");
  await expect(rows(page).first()).toContainText("Refused");
  await page.goto(`/operations/audit?of=${row?.id}&act=evidence.viewed`);
  await expect(rows(page)).toHaveCount(1); // read twice, one entry
  await expect(rows(page)).toContainText("View evidence");
});

test("one entry is open with its role, its scope and its place in the chain, whose digests hold", async ({ page }) => {
  await page.goto(`/operations/audit?q=${command.ref}`);
  await expect(rows(page)).toHaveCount(1);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await expect(panel(page).getByRole("heading", { level: 2 })).toHaveText(/^AU-\d+$/);
  await expect(panel(page)).toContainText("appointment.created");
  await expect(panel(page)).toContainText(`/ ${command.clinicRef}`);
  await expect(panel(page)).toContainText("Digest of the entry is recomputed and equal");
  await expect(panel(page)).toContainText(/Link to [\d,]+ holds/);
  await panel(page).getByRole("link", { name: "Story" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("This command arrived");
  await page.goBack();
  await expect(panel(page)).toContainText("Digest of the entry is recomputed and equal");
  await page.keyboard.press("Escape");
  await expect(rows(page)).toBeFocused();
});

test("an entry that somebody changed in the database says so, and so does the check of the chain", async ({ page }) => {
  const [entry] = await lookAtRows(
    ({ sql }) => sql<{ id: string; actor_ref: string; sealed_seq: string }[]>`
      select id, actor_ref, sealed_seq from audit_entries where command_id = ${command.commandId}`,
  );
  const change = (ref: string) =>
    writeRows(({ sql }) => sql`update audit_entries set actor_ref = ${ref} where id = ${entry?.id as string}`);
  const chain = page.getByRole("region", { name: "Chain of the audit" });
  await page.goto(`/operations/audit?entry=${entry?.id}`);
  await change("ST-FORGED");
  try {
    await page.reload();
    await expect(panel(page)).toContainText("Digest of the entry is recomputed and differs");
    await chain.getByRole("button", { name: "Verify now" }).click();
    await expect(chain.getByText("Chain broken")).toBeVisible();
    await expect(chain).toContainText(`ENTRY_CHANGED`);
    await expectNoAxeViolationInEitherTheme(page);
  } finally {
    await change(entry?.actor_ref as string);
  }
  await chain.getByRole("button", { name: "Verify now" }).click();
  await expect(chain.getByText("Chain verified")).toBeVisible();
  expect((await entriesOf("audit.verification-requested")).length).toBeGreaterThanOrEqual(2);
});

test("filters stand in the address, one click takes each away, and a link shows the same", async ({ page }) => {
  await page.goto("/operations/audit");
  await expect(rows(page).first()).toBeAttached();
  await page.getByRole("button", { name: "Result", exact: true }).click();
  await page.getByRole("menuitemradio", { name: "Refused" }).click();
  await expect(page).toHaveURL(/result=REFUSED/);
  await expect(rows(page).first()).toContainText("Refused");
  expect(await rows(page).filter({ hasNotText: "Refused" }).count()).toBe(0);
  await page.getByRole("button", { name: "Role", exact: true }).click();
  await page.getByRole("menuitemradio", { name: "Administrator" }).click();
  await expect(page.getByText("No entry matches these filters.")).toBeVisible();
  await page.goBack();
  await expect(rows(page).first()).toBeAttached();
  await page.getByRole("button", { name: "Remove the filter Result" }).click();
  await expect(page).not.toHaveURL(/result=/);
  await page.getByLabel("From", { exact: true }).fill("2020-01-01");
  await page.getByLabel("Until", { exact: true }).fill("2020-01-02");
  await expect(page.getByText("No entry matches these filters.")).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).first().click();
  await expect(rows(page).first()).toBeAttached();
});

test("older entries come page by page, none twice", async ({ page }) => {
  await writeRows(
    ({ sql }) => sql`
      insert into audit_entries (tenant_group_id, actor_kind, actor_id, actor_ref, act, result)
      select tenant_group_id, 'worker', 'pager', 'pager', 'test.paged', 'DONE' from users, generate_series(1, 120)
      where email = 'staff@harbour.example'`,
  );
  await page.goto("/operations/audit?act=test.paged");
  await expect(page.getByText("50 of 120 entries shown")).toBeVisible();
  const more = page.getByRole("button", { name: "Show more entries" });
  await more.click();
  await more.click();
  await expect(rows(page)).toHaveCount(120);
  await expect(more).toBeHidden();
  const ids = await rows(page).evaluateAll((all) => all.map((row) => (row as HTMLElement).dataset.row));
  expect(new Set(ids).size).toBe(120);
});

test("an export holds what the filter finds, and is itself an entry", async ({ page }) => {
  await page.goto(`/operations/audit?q=${command.ref}`);
  await expect(rows(page)).toHaveCount(1);
  const before = (await entriesOf("audit.exported")).length;
  for (const [name, check] of [
    ["As CSV", (text: string) => expect(text.trimEnd().split("\r\n")).toHaveLength(2)],
    ["As JSON", (text: string) => expect((JSON.parse(text) as { entries: unknown[] }).entries).toHaveLength(1)],
  ] as const) {
    await page.getByRole("button", { name: /^Export/ }).click();
    const arriving = page.waitForEvent("download");
    await page.getByRole("menuitem", { name }).click();
    const text = readFileSync(await (await arriving).path(), "utf8");
    check(text);
    expect(text).toContain(command.commandId);
  }
  const exported = await entriesOf("audit.exported");
  expect(exported.length).toBe(before + 2);
  expect(exported[0]).toMatchObject({ actor_role: "STAFF", details: { entries: 1, format: "json" } });
});

test("new entries wait behind a counter while somebody reads", async ({ page }) => {
  await page.goto("/operations/audit");
  await expect(rows(page).first()).toBeAttached();
  const first = await rows(page).first().getAttribute("data-row");
  await writeRows(
    ({ sql }) => sql`
      insert into audit_entries (tenant_group_id, actor_kind, actor_id, actor_ref, act, result)
      select tenant_group_id, 'worker', 'arrival', 'arrival', 'test.arrived', 'DONE' from users where email = 'staff@harbour.example'`,
  );
  const counter = page.getByRole("button", { name: /new entr/ });
  await expect(counter).toBeVisible();
  expect(await rows(page).first().getAttribute("data-row")).toBe(first);
  await counter.click();
  await expect(rows(page).filter({ hasText: "test.arrived" })).toHaveCount(1);
});

test("a front desk has no audit and no way to it, and an entry of another tenant group is not there", async ({ page }) => {
  const [foreign] = await lookAtRows(
    ({ sql }) => sql<{ id: string }[]>`
      select e.id from audit_entries e join users u on u.tenant_group_id = e.tenant_group_id and u.email = 'desk@ridge.example' limit 1`,
  );
  await page.goto(`/operations/audit?entry=${foreign?.id ?? "01900000-0000-7000-8000-000000000000"}`);
  await expect(page.getByText("This entry is not in your clinics.")).toBeVisible();
  await signedInAs(page, "berlinDesk");
  await page.goto("/desk");
  await expect(page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Audit" })).toHaveCount(0);
  await page.goto("/operations/audit");
  await expect(page.getByRole("heading", { name: "You cannot open this page." })).toBeAttached();
  await expect(page.getByText(/It needs the right Staff/)).toBeVisible();
});

test("the keys lead there, and every state has a word for the screen reader", async ({ page }) => {
  await page.goto("/operations/delivery");
  await expect(async () => {
    await page.keyboard.press("g"); // a key before the page is ready does nothing
    await page.keyboard.press("a");
    await expect(page).toHaveURL(/\/operations\/audit/, { timeout: 2_000 });
  }).toPass();
  await expect(rows(page).first()).toBeAttached();
  for (const word of ["Done", "Refused"]) await expect(rows(page).filter({ hasText: word }).first()).toBeAttached();
});

for (const locale of ["en", "ko"] as const)
  test(`nothing of the audit is lost at any width, in either theme (${locale})`, async ({ page }) => {
    const [entry] = await lookAtRows(
      ({ sql }) => sql<{ id: string }[]>`select id from audit_entries where command_id = ${command.commandId}`,
    );
    await speaking(page, locale);
    for (const path of ["/operations/audit", `/operations/audit?entry=${entry?.id}`, "/operations/audit?act=none&q=nobody"]) {
      await page.goto(path);
      await expect(page.getByRole("heading", { level: path.includes("entry") ? 2 : 1 })).toBeVisible();
      await expectFitsEachWidth(page);
    }
  });
