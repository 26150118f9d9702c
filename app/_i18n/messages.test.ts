import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import en from "./en.json";
import ko from "./ko.json";

type Tree = { [key: string]: string | Tree };

function leaves(tree: Tree, prefix = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const [key, value] of Object.entries(tree)) {
    if (typeof value === "string") found.set(prefix + key, value);
    else for (const [inner, text] of leaves(value, `${prefix}${key}.`)) found.set(inner, text);
  }
  return found;
}

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return /\.tsx?$/.test(entry.name) && !entry.name.includes(".test.") ? [readFileSync(path, "utf8")] : [];
  });
}

const english = leaves(en);
const korean = leaves(ko);
const code = sources("app").join("\n");
// Keys with a closed last part chosen at run time; every other key stands in the code as one literal.
const chosenAtRunTime = [/^time\.(short|in|ago)\.(seconds|minutes|hours|days)$/];
const placeholders = (text: string) => [...text.matchAll(/\{(\w+)(?=[,}])/g)].map((match) => match[1]).sort();

describe("messages", () => {
  it("English and Korean have the same keys", () => {
    expect([...korean.keys()].sort()).toEqual([...english.keys()].sort());
  });

  it("both languages of a message use the same values", () => {
    const unlike = [...english].filter(
      ([key, text]) => new Set(placeholders(text)).size !== new Set(placeholders(korean.get(key) ?? "")).size,
    );
    expect(unlike.map(([key]) => key)).toEqual([]);
  });

  it("every message is used", () => {
    const unused = [...english.keys()].filter((key) => !code.includes(`"${key}"`) && !chosenAtRunTime.some((pattern) => pattern.test(key)));
    expect(unused).toEqual([]);
  });

  it("every key that the code asks for exists", () => {
    const asked = [...code.matchAll(/\bt(?:\.rich|\.markup)?\(\s*"([\w.]+)"/g)].map((match) => match[1] as string);
    expect(asked.filter((key) => !english.has(key))).toEqual([]);
    expect(asked.length).toBeGreaterThan(20);
  });

  it("no Korean particle hangs on a value, whose spoken end is not known", () => {
    const particle = /\}\s?(?:을|를|은|는|이|가|와|과|로|으로)(?![가-힣])|\((?:을|를|은|는|이|가|와|과|으)\)/;
    expect([...korean].filter(([, text]) => particle.test(text))).toEqual([]);
  });

  it("a Korean sentence ends in -니다, or in the values that it names", () => {
    const sentences = [...korean].filter(([, text]) => text.endsWith("."));
    expect(sentences.filter(([, text]) => !/니다\.$|\}\.$/.test(text))).toEqual([]);
    expect(sentences.length).toBeGreaterThan(100);
  });

  it("a Korean sentence does not keep English words by mistake", () => {
    const kept =
      /replay|lease|offset|fingerprint|requestid|provenance|inbox|outbox|relay|appointment operations|http|sms|english|api|apt-|pt-|utc|esc|partition|plural|other|count|json|csv|cas|sqlstate|staff/gi;
    const leftOver = [...korean].filter(([, text]) =>
      /[A-Za-z]{3,}/.test(
        text
          .replace(/\{\w+, plural/g, "{")
          .replace(/\{[^{}]*\}|<\/?\w+>/g, "") // values and tags
          .replace(kept, ""),
      ),
    );
    expect(leftOver).toEqual([]);
  });
});
