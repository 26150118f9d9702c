import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { bin, ROOT, run } from "@/scripts/lib/run";

/**
 * Whether db/schema says something that no migration brings: generates into a copy of db/migrations and looks for a new file.
 * @returns what is stale, or undefined
 */
export async function findStaleMigration(): Promise<string | undefined> {
  mkdirSync(path.join(ROOT, ".data"), { recursive: true });
  const copy = mkdtempSync(path.join(ROOT, ".data/check-"));
  try {
    cpSync(path.join(ROOT, "db/migrations"), copy, { recursive: true });
    const before = new Set(readdirSync(copy));
    const out = path.relative(ROOT, copy);
    const args = [
      "generate",
      "--dialect",
      "postgresql",
      "--schema",
      "./db/schema/index.ts",
      "--out",
      out,
      "--casing",
      "snake_case",
      "--name",
      "stale",
    ];
    const generated = await run(bin("drizzle-kit"), args);
    if (generated.code !== 0) return generated.output;
    const added = readdirSync(copy).filter((file) => !before.has(file) && file.endsWith(".sql"));
    return added.length > 0 ? "db/schema has changes that no migration brings; run npm run db:generate and read what it wrote" : undefined;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
