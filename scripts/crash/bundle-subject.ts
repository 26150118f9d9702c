import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { ROOT } from "@/scripts/lib/run";

/**
 * The process that is cut, as one file: it is started hundreds of times, and loads in half the time of its packages. It is gone when this process ends.
 * @returns its path
 */
export async function bundleSubject(name: "subject" | "kafka-subject"): Promise<string> {
  const outfile = path.join(ROOT, `.data/crash/${name}-${process.pid}.mjs`);
  mkdirSync(path.dirname(outfile), { recursive: true });
  process.once("exit", () => rmSync(outfile, { force: true })); // also when the run fails or is interrupted
  await build({
    entryPoints: [path.join(ROOT, `scripts/crash/${name}.ts`)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    logLevel: "error",
  });
  return outfile;
}
