import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkDocs } from "@/scripts/lib/check-docs";

let root: string;
beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), "check-docs-"));
  for (const folder of ["docs", "server", "scripts/lib", "bench/node_modules/x"]) mkdirSync(path.join(root, folder), { recursive: true });
  const write = (file: string, text: string) => writeFileSync(path.join(root, file), text);
  write("package.json", JSON.stringify({ scripts: { test: "" } }));
  write(
    "README.md",
    "[there](docs/there.md#part) [gone](docs/gone.md) [web](https://example.org) `npm run test` and `npm run nothing`, `NAMED`\n" +
      "## Configuration\n| variable | what |\n|---|---|\n| `FORGOTTEN` `ONLY_README` | not `A_WORD` |\n## Next\n| `ELSEWHERE` | |\n",
  );
  write("docs/there.md", "[up](../README.md) [self](#part)");
  write("bench/node_modules/x/README.md", "[gone](gone.md)");
  write("server/env.ts", "const schema = z.object({\n  NAMED: text,\n  FORGOTTEN: text,\n});\n");
  write("scripts/lib/script-env.ts", "const ops = {\n  OF_SCRIPTS: text,\n};\n");
  write(".env.example", "# NAMED=1\nONLY_EXAMPLE=\n");
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

test("pictures of the documents are few and light", () => {
  const heavy = mkdtempSync(path.join(tmpdir(), "check-docs-"));
  try {
    mkdirSync(path.join(heavy, "docs/screens"), { recursive: true });
    writeFileSync(path.join(heavy, "package.json"), JSON.stringify({ scripts: {} }));
    const picture = (n: number, bytes: number) => writeFileSync(path.join(heavy, `docs/screens/${n}.png`), Buffer.alloc(bytes));
    for (let n = 0; n < 12; n++) picture(n, 100);
    expect(checkDocs(heavy)).toEqual([]);
    picture(12, 2 * 1024 * 1024 - 1_199);
    expect(checkDocs(heavy)).toEqual(["docs: 13 pictures, at most 12", "docs: pictures of 2097153 bytes, at most 2097152"]);
  } finally {
    rmSync(heavy, { recursive: true, force: true });
  }
});

test("dead links, missing scripts and unnamed variables are found, and nothing else", () => {
  expect(checkDocs(root)).toEqual([
    "README.md: the link to docs/gone.md leads nowhere",
    "README.md: there is no npm script nothing",
    "README.md does not name NAMED in its configuration",
    "README.md does not name OF_SCRIPTS in its configuration",
    "README.md does not name ONLY_EXAMPLE in its configuration",
    ".env.example does not name FORGOTTEN",
    ".env.example does not name OF_SCRIPTS",
    ".env.example does not name ONLY_README",
  ]);
});
