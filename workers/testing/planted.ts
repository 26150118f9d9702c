// For tests: a person who is planted through the real commands, and the places where nothing of that person may be found.
import { createHash } from "node:crypto";
import { expect } from "vitest";
import { systemClock } from "@/server/clock";
import type { EventLog } from "@/server/domain/event-log/port";
import { loadActor } from "@/server/domain/scope/load-actor";
import { webEnv } from "@/server/env";
import { newUuid } from "@/server/ids";
import { metricsRegistry } from "@/server/metrics";
import { appRouter } from "@/server/trpc/root";
import { createCallerFactory } from "@/server/trpc/trpc";
import type { World } from "@/workers/model/testing/world";

export const planted = {
  name: "Plantedname Zzyzxová",
  phone: "+44 1632 960777",
  email: "planted.mail@clinic.invalid",
  birthDate: "1931-07-19",
};
export const note = "Plantednote about a knee";
const needles = ["Plantedname", "Zzyzxov", "1632 960777", "1632960777", "planted.mail", "1931-07-19", "Plantednote"];
const digests = [...Object.values(planted), note, planted.name.toLowerCase(), "441632960777"].flatMap((text) =>
  ["sha256", "sha1", "md5"].map((kind) => createHash(kind).update(text).digest("hex")),
);

/** What of the person is in a text: as it was typed, as the bytes of it, or as a plain digest. */
export const found = (text: string): string[] => [
  ...needles.filter((needle) => text.toLowerCase().includes(needle.toLowerCase())),
  ...needles.filter((needle) => text.includes(Buffer.from(needle).toString("hex"))),
  ...digests.filter((digest) => text.includes(digest)),
];
export const foundIn = (answers: unknown[]): string[] => answers.map((answer) => JSON.stringify(answer)).flatMap(found);

/** A refusal with everything that a page could show of it. */
export const refusalOf = (error: unknown): unknown => ({
  text: String(error),
  cause: String((error as Error).cause),
  ...(error as object),
});

/** The procedures as the pages of a person of this role in Berlin call them. */
export async function callerOf({ db, fixture }: World, role: string) {
  const { tenantGroupId, ber } = fixture.t1;
  const userId = newUuid();
  const sql = db.migrator.$client;
  await sql`
    insert into users (id, tenant_group_id, ref, email, name, password_hash)
    values (${userId}, ${tenantGroupId}, ${`ST-${userId.slice(-6)}`}, ${`${userId}@clinic.invalid`}, 'Person', 'x')`;
  await sql`insert into user_roles (tenant_group_id, user_id, role, clinic_id) values (${tenantGroupId}, ${userId}, ${role}, ${ber.id})`;
  const actor = await loadActor(db.web, { tenantGroupId, userId });
  return createCallerFactory(appRouter)({ db: db.web, clock: systemClock, env: webEnv(), requestId: newUuid(), actor, batchSize: 1 });
}

/** Tables that hold people, and columns that hold what the desk typed for itself: the only places that may have it. */
const ownTables = ["patients", "mailbox_messages"];
const ownWords: Record<string, string> = {
  appointment_history: "note",
  absences: "reason",
  closures: "reason",
  resource_outages: "reason",
  breaks: "label",
};

/** Every row of every table: what is somewhere else than in these. */
export async function foundInTables({ db }: World): Promise<{ places: string[]; rows: number }> {
  const sql = db.superuser.$client;
  const tables = await sql<{ name: string }[]>`
    select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by 1`;
  expect(tables.length).toBeGreaterThan(40);
  const places: string[] = [];
  let rows = 0;
  for (const { name } of tables) {
    if (ownTables.includes(name)) continue;
    const of = ownWords[name] ? `(to_jsonb(t) - '${ownWords[name]}')::text` : "t::text";
    for (const row of await sql.unsafe(`select ${of} as text from ${name} t`)) {
      rows += 1;
      for (const what of found(row.text as string)) places.push(`${name}: ${what}`);
    }
  }
  return { places: [...new Set(places)], rows };
}

/** Whether one of the places that may have it does: else the search finds nothing anywhere. */
export async function foundInTable({ db }: World, table: string): Promise<string[]> {
  const rows = await db.superuser.$client.unsafe(`select t::text from ${table} t`);
  return rows.flatMap((row) => found(row.t as string));
}

/** Every record of a topic, headers and payload. */
export async function foundInLog(log: EventLog, topic: string): Promise<{ words: string[]; records: number }> {
  const texts: string[] = [];
  for (const { partition, low, high } of await log.watermarks(topic)) {
    const offsets = Array.from({ length: Number(high) - Number(low) }, (_, n) => String(Number(low) + n));
    for (const record of (await log.readAt(topic, partition, offsets, { deadlineMs: 5_000 })).values()) texts.push(JSON.stringify(record));
  }
  return { words: texts.flatMap(found), records: texts.length };
}

export async function foundInMetrics(): Promise<string[]> {
  const metrics = await metricsRegistry().metrics();
  expect(metrics).toContain("aops_");
  return found(metrics);
}
