import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build as bundle } from "esbuild";
import { bin, ROOT, run } from "@/scripts/lib/run";
import { withLock } from "@/scripts/lib/with-lock";

const SOURCES = ["app", "server", "db", "workers", "public", "proxy.ts", "instrumentation.ts"];
const SETTINGS = [
  "package-lock.json",
  "package.json",
  "next.config.mjs",
  "postcss.config.mjs",
  "tsconfig.json",
  "scripts/lib/build-product.ts",
];
const STAMP = ".next/sources.sha256";

export const WEB_SERVER = path.join(ROOT, ".next/standalone/server.js");
export const WORKERS = path.join(ROOT, "dist/workers.mjs");

export type BuildProduct = { log?: (line: string) => void; force?: boolean; signal?: AbortSignal };

/**
 * Builds the standalone web server and the workers' bundle, unless both were built from exactly these sources.
 * @returns whether it built
 * @throws Error with the end of the build's output
 */
export function buildProduct(options: BuildProduct = {}): Promise<boolean> {
  const wait = (pid: number) => options.log?.(`waiting for the build of process ${pid}`);
  return withLock(path.join(ROOT, ".data/build.lock"), () => build(options), wait);
}

async function build(options: BuildProduct): Promise<boolean> {
  const digest = sourcesDigest();
  const stamp = path.join(ROOT, STAMP);
  const built = [WEB_SERVER, WORKERS, stamp].every((file) => existsSync(file)) && readFileSync(stamp, "utf8") === digest;
  if (built && !options.force) return false;
  rmSync(stamp, { force: true }); // a failed build takes the previous output with it
  options.log?.("building the web app and the workers (about a minute the first time)");
  const web = await run(bin("next"), ["build"], { env: { NODE_ENV: "production" }, signal: options.signal });
  if (web.code !== 0) throw new Error(`next build failed:\n${web.output.trim().split("\n").slice(-40).join("\n")}`);
  // the standalone output leaves out what a content network would serve
  const standalone = path.dirname(WEB_SERVER);
  cpSync(path.join(ROOT, ".next/static"), path.join(standalone, ".next/static"), { recursive: true });
  if (existsSync(path.join(ROOT, "public"))) cpSync(path.join(ROOT, "public"), path.join(standalone, "public"), { recursive: true });
  await bundleWorkers(WORKERS);
  writeFileSync(stamp, digest);
  return true;
}

/** One file with the product's own code, and beside it the one that the solver's thread loads; packages stay in node_modules. */
export async function bundleWorkers(outfile: string): Promise<void> {
  mkdirSync(path.dirname(outfile), { recursive: true });
  await bundle({
    entryPoints: [
      { in: path.join(ROOT, "workers/main.ts"), out: path.basename(outfile, ".mjs") },
      { in: path.join(ROOT, "server/domain/planning/solver/solver-thread.ts"), out: "solver-thread" },
    ],
    outdir: path.dirname(outfile),
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    sourcemap: "linked",
    tsconfig: path.join(ROOT, "tsconfig.json"),
    logLevel: "warning",
  });
}

function sourcesDigest(): string {
  const hash = createHash("sha256");
  for (const name of [...SOURCES, ...SETTINGS])
    for (const file of filesOf(name))
      hash
        .update(`${file}\0`)
        .update(readFileSync(path.join(ROOT, file)))
        .update("\0");
  return hash.digest("hex");
}

function filesOf(name: string): string[] {
  const full = path.join(ROOT, name);
  if (!existsSync(full)) return [];
  if (!SOURCES.includes(name) || /\.ts$/.test(name)) return [name];
  return readdirSync(full, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name) && !entry.parentPath.includes(`${path.sep}testing`))
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)))
    .sort();
}
