import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { atLeast, SECURITY_FLOORS } from "@/tools/security-floors";

const root = path.dirname(import.meta.dirname);
const read = (file: string) => JSON.parse(readFileSync(path.join(root, file), "utf8"));
const manifest = read("package.json") as { dependencies: Record<string, string>; devDependencies: Record<string, string> };

describe("security floors", () => {
  test.each(Object.entries(SECURITY_FLOORS))("%s is pinned and installed at %s or later", (name, floor) => {
    const pinned = { ...manifest.devDependencies, ...manifest.dependencies }[name];
    expect(pinned, `${name} is pinned exactly`).toMatch(/^\d/);
    expect(atLeast(pinned ?? "", floor), `${name} ${pinned} in package.json is below ${floor}`).toBe(true);
    const installed = (read(`node_modules/${name}/package.json`) as { version: string }).version;
    expect(atLeast(installed, floor), `${name} ${installed} in node_modules is below ${floor}`).toBe(true);
  });

  test.each([
    ["16.2.5", "16.2.6", false],
    ["16.10.0", "16.2.6", true],
    ["5.0.0-beta.4", "5.0.0-beta.32", false],
    ["5.0.0-beta.33", "5.0.0-beta.32", true],
    ["5.0.0", "5.0.0-beta.32", true],
    ["16.2.6-canary.1", "16.2.6", false],
  ])("%s against %s", (version, floor, expected) => {
    expect(atLeast(version, floor)).toBe(expected);
  });

  test("every dependency is pinned to one version", () => {
    const loose = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }).filter(
      ([, version]) => !/^(npm:[^@]+@)?\d/.test(version),
    );
    expect(loose).toEqual([]);
  });
});
