import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { E2eWorld } from "@/db/testing/e2e-world";
import { ROOT } from "@/scripts/lib/run";

const fileOf = (world: number): string => path.join(ROOT, `.data/e2e/world-${world}.json`);

/** Tells the browser tests, which run in another process, what they may use. */
export function publishWorld(world: number, it: E2eWorld): void {
  mkdirSync(path.dirname(fileOf(world)), { recursive: true });
  writeFileSync(fileOf(world), JSON.stringify(it), { mode: 0o600 });
}

export const forgetWorld = (world: number): void => rmSync(fileOf(world), { force: true });
