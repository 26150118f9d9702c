import { buildProduct } from "@/scripts/lib/build-product";

/** npm run build: .next/standalone/server.js and dist/workers.mjs; nothing to do when the sources are unchanged (--force builds anyway). */
try {
  const built = await buildProduct({ log: console.log, force: process.argv.includes("--force") });
  console.log(built ? "built .next/standalone/server.js and dist/workers.mjs" : "nothing to build: the sources are unchanged");
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
