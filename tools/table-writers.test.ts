import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.dirname(import.meta.dirname);

/** Which folder writes the tables of db/schema/<name>.ts; left out: server/domain/<name>. */
const WRITERS: Record<string, string[]> = {
  // the port's adapter keeps the log itself
  "event-log": ["server/event-log"],
  // a person without a name is added by the booking that names them, and their resource with them
  clinics: ["server/domain/clinics", "server/domain/patients"],
};

test("only the module that owns a table writes it", () => {
  const tables = ownersOfTables();
  expect(tables.size).toBeGreaterThan(30);
  const strangers = sourceFiles()
    .flatMap((file) => writtenTables(file).map((table) => ({ file, table, owners: tables.get(table) })))
    .filter(({ file, owners }) => owners && !owners.some((owner) => file.startsWith(`${owner}/`)))
    .map(({ file, table, owners }) => `${file} writes ${table}, which belongs to ${owners?.join(" or ")}`);
  expect([...new Set(strangers)]).toEqual([]);
});

test("the writers are found, by SQL and by drizzle", () => {
  expect(writesIn("await tx.sql`\n  insert into outbox (a)\n  values (1)`")).toEqual(["outbox"]);
  expect(writesIn("update appointments\nset x = 1")).toEqual(["appointments"]);
  expect(writesIn("update inbox as i set x = 1; delete from reminders where x")).toEqual(["inbox", "reminders"]);
  expect(writesIn("tx.insert(notificationIntents).values(x)")).toEqual(["notification_intents"]);
  expect(writesIn("select * from outbox for update")).toEqual([]);
});

function ownersOfTables(): Map<string, string[]> {
  const owners = new Map<string, string[]>();
  for (const file of readdirSync(path.join(root, "db/schema"))) {
    const name = file.replace(/\.ts$/, "");
    const text = readFileSync(path.join(root, "db/schema", file), "utf8");
    for (const [, table = ""] of text.matchAll(/pgTable\(\s*"([a-z_]+)"/g)) owners.set(table, WRITERS[name] ?? [`server/domain/${name}`]);
  }
  return owners;
}

function sourceFiles(): string[] {
  return ["server", "app", "workers"]
    .flatMap((folder) => {
      const entries = readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" });
      return entries.map((file) => path.posix.join(folder, file.replaceAll(path.sep, "/")));
    })
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|(^|\/)testing(\.ts$|\/)/.test(file));
}

const writtenTables = (file: string): string[] => writesIn(readFileSync(path.join(root, file), "utf8"));

function writesIn(text: string): string[] {
  const sql = /\b(?:insert into|delete from|update)\s+([a-z_]+)(?=\s+(?:as\s+\w+\s+)?(?:\(|set|values|select|where|using|as)|\s*$)/gm;
  const drizzle = /\b(?:tx|sp|db)\s*\.(?:insert|update|delete)\(([a-zA-Z]+)\)/g;
  const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return [...[...text.matchAll(sql)].map(([, table = ""]) => table), ...[...text.matchAll(drizzle)].map(([, name = ""]) => snake(name))];
}
