import "server-only";

import { readFile } from "node:fs/promises";
import path from "node:path";
import type { DrillName } from "@/server/domain/drills/catalog";

export type Part = { kind: "h2"; text: string } | { kind: "p"; text: string } | { kind: "ul"; items: string[] };

/** docs/runbook/<drill>.md: a title, headings, paragraphs and lists; nothing else is written there. */
export async function readRunbook(drill: DrillName): Promise<{ title: string; parts: Part[] }> {
  return parseRunbook(await readFile(path.join(process.cwd(), "docs/runbook", `${drill}.md`), "utf8"));
}

export function parseRunbook(text: string): { title: string; parts: Part[] } {
  const parts: Part[] = [];
  let title = "";
  for (const line of text.split("\n").map((one) => one.trim())) {
    const last = parts.at(-1);
    if (line.startsWith("# ")) title = line.slice(2);
    else if (line.startsWith("## ")) parts.push({ kind: "h2", text: line.slice(3) });
    else if (line.startsWith("- ") && last?.kind === "ul") last.items.push(line.slice(2));
    else if (line.startsWith("- ")) parts.push({ kind: "ul", items: [line.slice(2)] });
    else if (line) parts.push({ kind: "p", text: line });
  }
  return { title, parts };
}
