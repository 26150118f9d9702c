import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { bin, run } from "@/scripts/lib/run";

/** Debian's shell without a window comes first: the same engine, with a quarter less work for the processor. */
const SYSTEM_NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const MAC_PATHS = ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "/Applications/Chromium.app/Contents/MacOS/Chromium"];

/**
 * Path of a Chromium that starts: CHROMIUM_PATH, Playwright's own, the system's; else one is installed (Debian's package when root, else
 * Playwright's download).
 * @throws Error that says how to get one
 */
export async function findOrInstallBrowser(log: (line: string) => void): Promise<string> {
  const given = process.env.CHROMIUM_PATH;
  if (given) {
    if (starts(given)) return given;
    throw new Error(`CHROMIUM_PATH is ${given}, and that does not start; correct it or unset it`);
  }
  const found = await findBrowser();
  if (found) return found;
  const tried: string[] = [];
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    log("no browser found: installing Debian's chromium");
    const options = ["-y", "-q", "-o", "DPkg::Lock::Timeout=300"];
    const env = { DEBIAN_FRONTEND: "noninteractive" };
    await run("apt-get", [...options, "update"], { env });
    const installed = await run("apt-get", [...options, "install", "--no-install-recommends", "chromium"], { env });
    const browser = await findBrowser();
    if (browser) return browser;
    tried.push(`apt-get: ${lastLine(installed.output)}`);
  }
  log("no browser found: downloading Playwright's chromium");
  const downloaded = await run(bin("playwright"), ["install", "chromium"]);
  const browser = await findBrowser();
  if (browser) return browser;
  tried.push(`playwright install chromium: ${lastLine(downloaded.output)}`);
  throw new Error(
    ["no Chromium for the browser tests, and none could be installed:", ...tried.map((line) => `  ${line}`)].join("\n") +
      "\nInstall one (Debian: apt-get install chromium; else: npx playwright install --with-deps chromium), or name one in CHROMIUM_PATH.",
  );
}

async function findBrowser(): Promise<string | undefined> {
  const { chromium } = await import("@playwright/test");
  const folders = (process.env.PATH ?? "").split(path.delimiter).filter(Boolean);
  const system = SYSTEM_NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  return [chromium.executablePath(), ...system, ...MAC_PATHS].find((file) => existsSync(file) && starts(file));
}

/** A file of that name may be a stub that only points at a shop, or lack a library: only a version that it says itself counts. */
function starts(file: string): boolean {
  const said = spawnSync(file, ["--version"], { encoding: "utf8", timeout: 30_000 });
  return said.status === 0 && /Chrom/.test(said.stdout);
}

const lastLine = (text: string) => text.trim().split("\n").pop() ?? "";
