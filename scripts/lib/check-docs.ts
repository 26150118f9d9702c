import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { ROOT } from "@/scripts/lib/run";

/**
 * What the documents promise and the repository does not hold: relative links that lead nowhere, npm scripts that are not there, variables of a
 * schema that .env.example or the README's table does not name, and variables that one of these two names and the other does not. And pictures that weigh down every clone.
 * @returns one line per fault
 */
export function checkDocs(root = ROOT): string[] {
  const faults: string[] = [];
  const scripts = (JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { scripts: Record<string, string> }).scripts;
  for (const file of markdownFiles(root)) {
    const text = readFileSync(path.join(root, file), "utf8");
    for (const [, target = ""] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      const relative = target.split("#")[0] ?? "";
      if (relative === "" || /^[a-z]+:/.test(relative)) continue;
      if (!existsSync(path.resolve(root, path.dirname(file), relative))) faults.push(`${file}: the link to ${target} leads nowhere`);
    }
    for (const [, name = ""] of text.matchAll(/npm run ([a-z][a-z:-]*)/g))
      if (!(name in scripts)) faults.push(`${file}: there is no npm script ${name}`);
  }
  return [...faults, ...undocumentedVariables(root), ...heavyPictures(root)];
}

const picturesMax = { files: 12, bytes: 2 * 1024 * 1024 };

/** The pictures of the documents; those that browser tests compare with are code. */
function heavyPictures(root: string): string[] {
  const pictures = readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.(?:png|jpe?g|gif|webp|avif)$/i.test(file),
  );
  const bytes = pictures.reduce((sum, file) => sum + statSync(path.join(root, "docs", file)).size, 0);
  return [
    ...(pictures.length > picturesMax.files ? [`docs: ${pictures.length} pictures, at most ${picturesMax.files}`] : []),
    ...(bytes > picturesMax.bytes ? [`docs: pictures of ${bytes} bytes, at most ${picturesMax.bytes}`] : []),
  ];
}

function undocumentedVariables(root: string): string[] {
  const textOf = (file: string) => (existsSync(path.join(root, file)) ? readFileSync(path.join(root, file), "utf8") : "");
  const names = (text: string, pattern: RegExp) => new Set([...text.matchAll(pattern)].map(([, name = ""]) => name));
  const schemas = ["server/env.ts", "scripts/lib/script-env.ts"].map(textOf).join("\n");
  const checked = names(schemas, /^\s+([A-Z][A-Z0-9_]{2,}):/gm);
  const example = names(textOf(".env.example"), /^#? ?([A-Z][A-Z0-9_]{2,})=/gm);
  const table = textOf("README.md").split("\n## Configuration")[1]?.split("\n## ")[0] ?? "";
  const firstCells = [...table.matchAll(/^\|([^|]*)\|/gm)].map(([, cell = ""]) => cell).join(" ");
  const readme = names(firstCells, /`([A-Z][A-Z0-9_]{2,})`/g);
  const missing = (from: Set<string>, ...wanted: Set<string>[]) =>
    [...new Set(wanted.flatMap((set) => [...set]))].filter((name) => !from.has(name));
  return [
    ...missing(readme, checked, example).map((name) => `README.md does not name ${name} in its configuration`),
    ...missing(example, checked, readme).map((name) => `.env.example does not name ${name}`),
  ];
}

function markdownFiles(root: string): string[] {
  const top = readdirSync(root).filter((file) => file.endsWith(".md"));
  const below = ["docs", "server", "db", "workers", "bench", "deploy", "e2e"]
    .filter((folder) => existsSync(path.join(root, folder)))
    .flatMap((folder) => readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" }).map((file) => path.join(folder, file)))
    .filter((file) => file.endsWith(".md") && !file.includes("node_modules"));
  return [...top, ...below];
}
