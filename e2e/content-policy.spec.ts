// What a browser is told about a page, asked of the built product.
import type { Page } from "@playwright/test";
import { signedInAs } from "./preconditions/signed-in";
import { expect, test } from "./support/test";

/** Loads a page and answers the nonce of its policy, after looking at every script of the answer. */
async function nonceOf(page: Page, path: string): Promise<string> {
  const response = await page.goto(path);
  const headers = (await response?.allHeaders()) ?? {};
  const policy = headers["content-security-policy"] ?? "";
  const scriptSources = /script-src ([^;]*)/.exec(policy)?.[1] ?? "";
  const nonce = /'nonce-([^']+)'/.exec(scriptSources)?.[1] ?? "";
  expect(nonce.length, `${path} ${policy}`).toBeGreaterThanOrEqual(22);
  expect(scriptSources, path).not.toMatch(/unsafe-inline|unsafe-eval/);
  expect(policy, path).toContain("frame-ancestors 'none'");
  expect([headers["cache-control"], headers["x-content-type-options"]], path).toEqual([expect.stringContaining("no-store"), "nosniff"]);
  const scripts = (await response?.text())?.match(/<script\b[^>]*>/g) ?? [];
  expect(scripts.length, path).toBeGreaterThan(2);
  expect(
    scripts.filter((tag) => !tag.includes(`nonce="${nonce}"`)),
    path,
  ).toEqual([]);
  return nonce;
}

test("every page runs scripts by the nonce of its own answer only, and no two answers share one", async ({ page }) => {
  const nonces = [await nonceOf(page, "/sign-in"), await nonceOf(page, "/sign-in")];
  for (const [person, paths] of [
    ["berlinDesk", ["/desk", "/desk?view=week"]],
    ["staff", ["/operations/delivery", "/operations/stories"]],
  ] as const) {
    await signedInAs(page, person);
    for (const path of paths) nonces.push(await nonceOf(page, path));
  }
  expect(new Set(nonces).size).toBe(nonces.length);
});
