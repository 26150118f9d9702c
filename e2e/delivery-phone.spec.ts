import { aCommand } from "./preconditions/a-command";
import { signedInAs, speaking } from "./preconditions/signed-in";
import { expectWithinWidth } from "./questions/layout";
import { expect, test } from "./support/test";

test.use({ viewport: { width: 390, height: 844 } });
test.beforeAll(async () => {
  await aCommand({ calls: 2 });
});

for (const locale of ["en", "ko"] as const)
  test(`on a phone the tiles keep their words and their trend, uncut, and the search its width (${locale})`, async ({ page }) => {
    await speaking(page, locale);
    await signedInAs(page, "staff");
    await page.goto("/operations/delivery");
    const words = page.locator(".tile .delta:visible");
    await expect(words).toHaveCount(4);
    const cut = (element: Element) => {
      const [own, tile] = [element.getBoundingClientRect(), element.closest(".mid")?.getBoundingClientRect()];
      return element.scrollWidth > element.clientWidth || !tile || own.bottom > tile.bottom + 1 || own.right > tile.right + 1;
    };
    for (const word of await words.all()) {
      expect(await word.evaluate(cut), (await word.textContent()) ?? "").toBe(false);
      expect((await word.textContent())?.length).toBeGreaterThan(3);
    }
    await expect(page.locator(".tile .spark:visible")).toHaveCount(4);
    for (const tile of await page.locator(".tile").all()) expect((await tile.textContent())?.length).toBeGreaterThan(30);
    const search = await page.locator(".tools .search").boundingBox();
    expect(search?.width).toBeGreaterThanOrEqual(350);
    await expect(page.locator(".search kbd")).toBeHidden();
    await expectWithinWidth(page);
  });

test("on a phone the places are at the bottom, wide enough for a thumb, and lead there", async ({ page }) => {
  await signedInAs(page, "staff");
  await page.goto("/operations/delivery");
  const nav = page.getByRole("navigation", { name: "Main" });
  const links = nav.getByRole("link");
  await expect(links.first()).toBeVisible();
  const box = await nav.boundingBox();
  expect(Math.round((box?.y ?? 0) + (box?.height ?? 0))).toBe(844);
  expect(await links.count()).toBeGreaterThan(2);
  for (const target of [...(await links.all()), ...(await page.locator(".tools :is(a, button):visible").all())]) {
    const size = await target.boundingBox();
    const name = (await target.textContent()) ?? "";
    expect(Math.round(size?.height ?? 0), name).toBeGreaterThanOrEqual(44);
    expect(Math.round(size?.width ?? 0), name).toBeGreaterThanOrEqual(44);
  }
  await nav.getByRole("link", { name: "Audit" }).click();
  await expect(page).toHaveURL(/\/operations\/audit/);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Audit");
  await expect(nav.getByRole("link", { name: "Audit" })).toHaveAttribute("aria-current", "page");
});

test("ages go by the server's clock: a browser that is an hour off shows the same ones", async ({ browser }) => {
  for (const offMs of [-3_600_000, 3_600_000]) {
    const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
    await page.addInitScript((off) => {
      const now = Date.now.bind(Date);
      Date.now = () => now() + off;
    }, offMs);
    await signedInAs(page, "staff");
    await page.goto("/operations/delivery");
    expect(Math.abs((await page.evaluate(() => Date.now())) - Date.now())).toBeGreaterThan(3_000_000);
    await expect(page.getByText(/^Live · updated \d+ s ago$/)).toBeVisible();
    const workers = page.getByRole("region", { name: "Workers" });
    await workers.getByRole("button", { name: "Details" }).click();
    await expect(workers.getByRole("row", { name: /^Relay/ })).toContainText(/Runs.*\d\d:\d\d:\d\d .*\b\d+ s ago/);
    await page.context().close();
  }
});
