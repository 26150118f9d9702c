// What the tests rely on: a fault in any browser fails the test it happens in, and a page that was opened answers keys.
import { anotherBrowser } from "./preconditions/signed-in";
import { expect, test } from "./support/test";

test("an error in the console of a second browser is heard, which fails a test that does not take it out", async ({ browser, heard }) => {
  const other = await anotherBrowser(browser, "berlinDesk");
  await other.evaluate(() => console.error("said on purpose"));
  await expect.poll(() => heard).toEqual(["said on purpose"]);
  heard.length = 0;
});

test("a page of a second browser answers keys once it is opened", async ({ browser }) => {
  const other = await anotherBrowser(browser, "berlinDesk");
  await other.route("**/_next/static/**/*.js", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 300)); // a network slower than the person
    await route.continue();
  });
  await other.goto("/desk", { waitUntil: "domcontentloaded" }); // the scripts are still on their way
  await other.keyboard.press("n");
  await expect(other.getByRole("complementary").getByRole("heading", { name: "New appointment" })).toBeVisible();
});
