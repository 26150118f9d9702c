// Rules about the source text that no type and no linter holds. Each says what would break.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { countCallbacks, foreignCalls } from "./inside-transactions";

const root = path.resolve(import.meta.dirname, "..");
const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "server", "db", "workers", "app"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|(^|\/)testing(-\w+)?(\.ts$|\/)/.test(file))
  .map((file) => ({ file, text: readOrEmpty(file) }));

function readOrEmpty(file: string): string {
  try {
    return readFileSync(path.join(root, file), "utf8");
  } catch {
    return ""; // deleted, and not committed yet
  }
}

const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "");
const statements = (text: string): string[] => [...text.matchAll(/\bsql(?:<[^`]*>)?`([^`]*)`/g)].map(([, statement = ""]) => statement);
const holders = (pattern: RegExp, of = files) => of.filter(({ text }) => pattern.test(withoutComments(text))).map(({ file }) => file);
const inStatements = (pattern: RegExp) =>
  files.filter(({ text }) => statements(text).some((statement) => pattern.test(statement))).map(({ file }) => file);

describe("the source", () => {
  test("is found", () => {
    expect(files.length).toBeGreaterThan(200);
    expect(files.flatMap(({ text }) => statements(text)).length).toBeGreaterThan(80);
  });

  test("a command calls nobody: its path knows no client of anything but the database", () => {
    const commands = files.filter(({ file }) =>
      /^server\/domain\/(appointments|idempotency|patients|clinics|outbox|scope|audit)\//.test(file),
    );
    expect(holders(/\bfetch\(|from "(node:(http|https|net|tls|dgram|fs)|nodemailer|kafkajs|undici)/, commands)).toEqual([]);
  });

  test("no request value can be an identifier: SQL is made of templates", () => {
    expect(holders(/\bsql\.(identifier|raw)\(/).filter((file) => !file.startsWith("db/schema/"))).toEqual([]); // the schema is constant
  });

  test("who signs out leaves no command key behind: one module calls the action, and it clears them first", () => {
    expect(holders(/\bleave\b[^;]*from "[^"]*\/actions"/)).toEqual(["app/sign-in/sign-out.tsx"]);
    const [way] = files.filter(({ file }) => file === "app/sign-in/sign-out.tsx");
    expect(way?.text).toMatch(/forgetHere\(\);\s+start\(\(\) => leave\(\)\)/);
    expect(way?.text).toMatch(/<form action=\{leave\} onSubmit=\{forgetHere\}/);
  });

  test("NOTIFY is in no statement: it would take one lock for all commits", () => {
    expect(inStatements(/\bnotify\b|pg_notify/i)).toEqual([]);
  });

  test("scope is set for a transaction only: a session would hand it to whoever gets the connection next", () => {
    expect(holders(/set_config\([^)]*(?<!, true)\)|set session|\bset app\./i)).toEqual([]);
  });

  test("inside a transaction nothing but its tx is awaited", () => {
    expect(files.reduce((sum, { text }) => sum + countCallbacks(text), 0)).toBeGreaterThan(60);
    expect(files.flatMap(({ file, text }) => foreignCalls(text).map((call) => `${file}: ${call}`))).toEqual([]);
  });

  test.each([
    ["the network: fetch(", "await withTx(deps.db, actor, async (tx) => { await tx.sql`select 1`; await fetch(url); });"],
    ["time: sleep(", "withRead(db, actor, (tx) => sleep(10).then(() => tx.sql`select 1`), { deadlineMs: 5 })"],
    ["time: setTimeout(", "withTx(db, actor, async (tx) => new Promise((resolve) => setTimeout(resolve, 5)))"],
    ["another connection: db.$", "withTx(db, {}, async (tx) => { await db.$client`select 1`; })"],
    ["another connection: withRead(deps.db", "withTx(deps.db, {}, async (tx) => { await withRead(deps.db, {}, other); })"],
    ["the event log: eventLog.publish(", "withTx(db, {}, (tx) => eventLog.publish(topic, records))"],
    ["the network: fetch(", "const work = async (tx: Tx): Promise<void> => { await fetch(url); };\nwithTx(db, actor, work, {});"],
    ["the network: fetch(", "const work = (tx: Tx) => fetch(url);\nwithTx(db, actor, work);"],
    ["the network: fetch(", "async function work(tx: Tx) {\n  await fetch(url);\n}\nwithTx(db, actor, work);"],
  ])("%s is found inside a transaction", (found, sample) => {
    expect(foreignCalls(sample)).toEqual([found]);
  });

  test("what stands before or after a transaction, in a comment or in a text, is not inside it", () => {
    const sample = [
      "await sleep(5);",
      "const rows = await withRead(deps.db, actor, (tx) => tx.sql`select ')' from db.rows`); // fetch(",
      "await fetch(url);",
      'await withTx(db, actor, async (tx) => { log.info("sleep("); });',
    ];
    expect(foreignCalls(sample.join("\n"))).toEqual([]);
  });

  test("the codes of database errors are read in one place", () => {
    expect(holders(/\.code === "[0-9][0-9A-Z]{4}"/).filter((file) => !["db/tx-error.ts", "db/client.ts"].includes(file))).toEqual([]); // client.ts: a notice
  });

  test("leases and due times are compared with the database's clock", () => {
    expect(inStatements(/(lease_until|next_attempt_at|expires_at)\s*[<>]=?\s*\$\{(?!.*ms)/i)).toEqual([]);
    expect(inStatements(/\$\{[^}]*(Date\.now|new Date\(\))/)).toEqual([]);
  });

  test("an index says beside it which query it serves", () => {
    const silent = files
      .filter(({ file }) => file.startsWith("db/schema/"))
      .flatMap(({ text }) => {
        const lines = text.split("\n");
        return lines.filter(
          (line, n) => /\b(index|uniqueIndex)\("/.test(line) && !/\/\//.test(`${lines[n - 1]?.trim().slice(0, 2)}${line}`),
        );
      });
    expect(silent).toEqual([]);
  });

  test("no SQL converts zones", () => {
    expect(inStatements(/at time zone '(?!UTC')/i)).toEqual([]);
    expect(inStatements(/at time zone \$\{/i)).toEqual([]);
  });
});
