import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { findOrInstallBrowser } from "@/scripts/lib/browser";

// Nothing is downloaded: what would install is noted instead, and may put a browser into a temporary folder.
const at = vi.hoisted(() => ({ own: "", ran: [] as string[], install: (_: string): string => "" }));
vi.mock("@playwright/test", () => ({ chromium: { executablePath: () => at.own } }));
vi.mock("@/scripts/lib/run", () => ({
  bin: (name: string) => name,
  run: async (command: string, args: string[]) => {
    at.ran.push([command, ...args.filter((arg) => /^(update|install|chromium)$/.test(arg))].join(" "));
    return { code: 1, output: at.install(command), seconds: 0 };
  },
}));
vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  return { ...fs, existsSync: (file: string) => file === "/usr/bin/apt-get" || fs.existsSync(file) };
});

let folder: string;
const said: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "browser-test-"));
  for (const name of ["first", "second", "own"]) mkdirSync(path.join(folder, name));
  at.own = path.join(folder, "own/chrome");
  at.ran = [];
  at.install = () => "no network";
  said.length = 0;
  vi.stubEnv("PATH", ["first", "second"].map((name) => path.join(folder, name)).join(path.delimiter));
  vi.stubEnv("CHROMIUM_PATH", "");
  vi.spyOn(process, "getuid").mockReturnValue(1_000);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

/** A program that answers `--version` with `says` and ends with `code`. */
function program(name: string, says = "Chromium 140.0.1", code = 0): string {
  const file = path.join(folder, name);
  writeFileSync(file, `#!/bin/sh\n[ "$1" = --version ] && echo "${says}"\nexit ${code}\n`);
  chmodSync(file, 0o755);
  return file;
}
const find = () => findOrInstallBrowser((line) => said.push(line));

describe("the browser of the tests", () => {
  test("is the one that CHROMIUM_PATH names, before Playwright's own and the system's", async () => {
    const given = program("given");
    program("own/chrome");
    program("first/chromium");
    vi.stubEnv("CHROMIUM_PATH", given);
    expect(await find()).toBe(given);
  });

  test.each([
    ["is not there", undefined],
    ["is no browser", "Debian GNU/Linux"],
  ])("named by CHROMIUM_PATH that %s is an error, not a reason to take another one", async (_, says) => {
    const given = says === undefined ? path.join(folder, "nowhere") : program("given", says);
    program("own/chrome");
    vi.stubEnv("CHROMIUM_PATH", given);
    await expect(find()).rejects.toThrow(`CHROMIUM_PATH is ${given}, and that does not start; correct it or unset it`);
    expect(at.ran).toEqual([]);
  });

  test("is Playwright's own before the system's", async () => {
    program("first/chromium");
    expect(await find()).toBe(path.join(folder, "first/chromium"));
    program("second/chromium-headless-shell");
    expect(await find()).toBe(path.join(folder, "second/chromium-headless-shell"));
    const own = program("own/chrome");
    expect(await find()).toBe(own);
    expect(at.ran).toEqual([]);
  });

  test("is the system's by its usual names, past stubs that are none and folders that are not there", async () => {
    program("first/chromium", "Command '/usr/bin/chromium' requires the chromium snap to be installed.", 1);
    program("first/chromium-browser", "this only points at a shop");
    program("own/chrome", "Chromium 140.0.1", 127); // lacks a library
    const chrome = program("second/google-chrome", "Google Chrome 140.0.1");
    expect(await find()).toBe(chrome);
    program("second/chromium");
    expect(await find()).toBe(path.join(folder, "second/chromium"));
    expect(at.ran).toEqual([]);
  });

  test("is downloaded by Playwright when there is none; without a network the message says how to get one", async () => {
    at.install = (command) => {
      if (command === "playwright") program("own/chrome");
      return "downloaded";
    };
    expect(await find()).toBe(at.own);
    expect([at.ran, said]).toEqual([["playwright install chromium"], ["no browser found: downloading Playwright's chromium"]]);
    rmSync(at.own);
    at.install = () => "getaddrinfo\nENOTFOUND cdn";
    await expect(find()).rejects.toThrow(
      /no Chromium for the browser tests, and none could be installed:\n {2}playwright install chromium: ENOTFOUND cdn\nInstall one \(Debian: apt-get install chromium; else: npx playwright install --with-deps chromium\), or name one in CHROMIUM_PATH\./,
    );
  });

  test("is Debian's package for root, and Playwright's download only when that fails", async () => {
    vi.spyOn(process, "getuid").mockReturnValue(0);
    at.install = (command) => {
      if (command === "apt-get" && at.ran.length === 2) program("first/chromium");
      return "";
    };
    expect(await find()).toBe(path.join(folder, "first/chromium"));
    expect(at.ran).toEqual(["apt-get update", "apt-get install chromium"]);
    rmSync(path.join(folder, "first/chromium"));
    at.ran = [];
    at.install = (command) => `E: ${command} failed`;
    await expect(find()).rejects.toThrow(/apt-get: E: apt-get failed\n {2}playwright install chromium: E: playwright failed/);
    expect(at.ran).toEqual(["apt-get update", "apt-get install chromium", "playwright install chromium"]);
  });
});
