import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "@/scripts/lib/run";
import { guards } from "./guards";
import { patched } from "./without-guard";

const text = (file: string) => readFileSync(path.join(ROOT, file), "utf8");

describe("the list of guards", () => {
  it("names each once", () => {
    const names = guards.map(({ name }) => name);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });

  it.each(guards.map((guard) => [guard.name, guard] as const))("%s can be taken out of the code as it is now", (_, guard) => {
    expect(guard.code ?? guard.sql).toBeDefined();
    for (const patch of guard.code ?? []) expect(patched(text(patch.file), patch)).not.toBe(text(patch.file));
    expect(existsSync(path.join(ROOT, guard.killer.file))).toBe(true); // that the test is in it is found out by npm run test:guards: names may be made of parts
  });
});
