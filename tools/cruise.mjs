// npm run arch: dependency-cruiser over the folders that exist, with its TypeScript 6 parser. Exit code: the number of violations.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";

const root = path.dirname(import.meta.dirname);
const folders = ["app", "server", "db", "workers", "scripts", "e2e", "bench", "proxy.ts", "instrumentation.ts"].filter((name) =>
  existsSync(name),
);
const cruise = path.join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
const hook = path.join(root, "tools/ts6-hook.mjs");
const config = path.join(root, ".dependency-cruiser.mjs");
const options = ["--config", config, "--output-type", "err-long", ...process.argv.slice(2)];
process.exit(spawnSync(process.execPath, ["--import", hook, cruise, ...options, ...folders], { stdio: "inherit" }).status ?? 1);
