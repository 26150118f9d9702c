import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

// Every way into the product from outside. proxy.ts is none of the fences: it could be deleted, and what is listed here must refuse all the same.
const root = path.join(import.meta.dirname, "../..");
const files = readdirSync(path.join(root, "app"), { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
  .map((file) => ({ file, text: readFileSync(path.join(root, "app", file), "utf8") }));

/** Server actions that need no right, and why. Everything else that changes something is a procedure with a guarantee. */
const openActions: Record<string, string> = {
  "sign-in/actions.ts": "signs in and out; throttled and audited",
  "_components/preferences-actions.ts": "sets the caller's own language and theme cookies",
};

describe("the doors", () => {
  it("has no server action but the ones that need no right", () => {
    const actions = files.filter(({ text }) => /["']use server["']/.test(text)).map(({ file }) => file);
    expect(actions.filter((file) => !(file in openActions))).toEqual([]);
  });

  const routes = files.filter(({ file }) => /(^|\/)route\.ts$/.test(file));
  it.each(routes.map(({ file, text }) => [file, text]))("%s hands on to an edge that checks, and does nothing itself", (_, text) => {
    const imports = [...(text as string).matchAll(/from "([^"]+)"/g)].map((match) => match[1]);
    expect(imports.length).toBeGreaterThan(0);
    expect(imports.filter((name) => !/^@\/server\/(auth|http|live|trpc)\//.test(name as string))).toEqual([]);
  });

  const pages = files.filter(({ file }) => /^\((desk|staff)\)\/.*page\.tsx$/.test(file));
  it.each(pages.map(({ file, text }) => [file, text]))("%s reads through procedures or asks who reads: a layout is no guard", (_, text) => {
    expect(text).toMatch(/\btrpc\.\w+\.\w+\.(?:q|infiniteQ)ueryOptions|\breadActor\(\)/);
  });

  it("finds routes and pages at all", () => {
    expect([routes.length > 10, pages.length >= 2]).toEqual([true, true]);
  });
});
