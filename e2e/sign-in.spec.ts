import { randomUUID } from "node:crypto";
import { e2eWorld } from "@/db/testing/e2e-world";
import { anotherBrowser, people, signedInAs } from "./preconditions/signed-in";
import { expect, test } from "./support/test";

test("the root page says what this is and asks for sign-in", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Book once, and be able to show it.");
  await page.getByRole("link", { name: "Sign in", exact: true }).click();
  await expect(page).toHaveURL(/\/sign-in/);
});

test("a page asked for while signed out is shown after sign-in", async ({ page }) => {
  await page.goto("/desk?date=2030-01-02");
  await expect(page).toHaveURL(/\/sign-in/);
  await page.getByLabel("Email").fill(people.berlinDesk);
  await page.getByLabel("Password").fill(e2eWorld().password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page).toHaveURL(/\/desk\?date=2030-01-02/);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Wed 2 Jan");
});

test("an unknown person and a wrong password read the same, and the address stays typed", async ({ page }) => {
  const messages: string[] = [];
  for (const email of [people.berlinDesk, "nobody@nowhere.example"]) {
    await page.goto("/sign-in");
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password").fill("wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    const alert = page.getByRole("main").getByRole("alert");
    await expect(alert).toBeVisible();
    messages.push((await alert.textContent()) ?? "");
    await expect(page.getByLabel("Email")).toHaveValue(email);
    await expect(page.getByLabel("Password")).toHaveValue("");
  }
  expect(messages[0]).toBe("Email or password is wrong. Nothing was changed.".replace(/^/, messages[0]?.startsWith(" ") ? " " : ""));
  expect(messages[1]).toBe(messages[0]);
});

test("each empty field says what it needs", async ({ page }) => {
  await page.goto("/sign-in");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByText("Enter your email.")).toBeVisible();
  await expect(page.getByText("Enter your password.")).toBeVisible();
  await expect(page.getByLabel("Email")).toHaveAttribute("aria-invalid", "true");
});

test("too many attempts are told when to come back", async ({ page }) => {
  const guesser = `guesser-${randomUUID()}@nowhere.example`;
  await page.goto("/sign-in");
  for (let attempt = 0; attempt < 11; attempt++) {
    await page.getByLabel("Email").fill(guesser);
    await page.getByLabel("Password").fill(`guess ${attempt}`);
    const answer = page.waitForResponse((response) => response.request().method() === "POST");
    await page.getByRole("button", { name: "Sign in" }).click();
    await answer;
    await expect(page.getByLabel("Password")).toHaveValue(""); // the form comes back empty with its answer
    await expect(page.getByRole("main").getByRole("alert")).toBeVisible();
  }
  await expect(page.getByText(/Too many attempts\. Try again in \d+ min\./)).toBeVisible();
});

test.describe("without client code", () => {
  test.use({ javaScriptEnabled: false });
  test("sign-in works and refuses", async ({ page }) => {
    await page.goto("/sign-in");
    await page.getByLabel("Email").fill(people.berlinDesk);
    await page.getByLabel("Password").fill("wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByText("Email or password is wrong. Nothing was changed.")).toBeVisible();
    await page.getByLabel("Email").fill(people.berlinDesk);
    await page.getByLabel("Password").fill(e2eWorld().password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page).toHaveURL(/\/desk/);
  });
});

test("a missing right is said by name, in the frame of the screen", async ({ page }) => {
  await signedInAs(page, "berlinDesk");
  const refused = await page.goto("/operations/delivery");
  expect(refused?.status()).toBe(403);
  await expect(page.getByText("It needs the right Staff (STAFF).", { exact: false })).toBeVisible();
  await expect(page.getByRole("navigation").getByRole("link")).toHaveText(["Desk"]);
  await signedInAs(page, "staff");
  expect((await page.goto("/desk"))?.status()).toBe(403);
  await expect(page.getByText("It needs the right Front desk (FRONT_DESK).", { exact: false })).toBeVisible();
});

test("a clinic of somebody else is not there", async ({ page }) => {
  await signedInAs(page, "otherTenantDesk");
  await page.goto("/desk");
  const own = new URL(page.url());
  await expect(page.getByRole("button", { name: "New appointment" })).toBeVisible();
  await page.goto(`${own.origin}/desk?clinic=CL-NOBODY`);
  await expect(page.getByRole("heading", { name: "You cannot see CL-NOBODY." })).toBeAttached();
});

test("language and theme are kept with the person, and signing out ends the session", async ({ page, browser }) => {
  await page.goto("/sign-in");
  await page.getByLabel("Email").fill(people.staff);
  await page.getByLabel("Password").fill(e2eWorld().password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Delivery" })).toBeVisible();
  await page.getByRole("button", { name: "Switch to dark theme" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.getByRole("button", { name: /^Account/ }).click();
  await page.getByRole("menuitemradio", { name: "한국어" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "전달" })).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("lang", "ko");
  const elsewhere = await anotherBrowser(browser, "staff");
  await elsewhere.goto("/operations/delivery");
  await expect(elsewhere.locator("html")).toHaveAttribute("lang", "ko");
  await expect(elsewhere.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.getByRole("button", { name: "밝은 화면으로 전환" }).click();
  await page.getByRole("button", { name: /^계정/ }).click();
  await page.getByRole("menuitemradio", { name: "시스템 설정" }).click();
  await page.getByRole("button", { name: /^계정/ }).click();
  await page.getByRole("menuitemradio", { name: "English" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Delivery" })).toBeVisible();
  await page.getByRole("button", { name: /^Account/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Book once, and be able to show it.");
  await page.goto("/operations/delivery");
  await expect(page).toHaveURL(/\/sign-in/);
});
