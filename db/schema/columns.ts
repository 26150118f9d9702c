import { sql } from "drizzle-orm";
import { bigint, customType, timestamp, uuid } from "drizzle-orm/pg-core";

/** Half-open range of instants, `[from,to)`; read and written as PostgreSQL's own text. */
export const tstzrange = customType<{ data: string }>({ dataType: () => "tstzrange" });

/** Time-ordered identity made by the database unless the caller brings one. */
export const id = () => uuid().primaryKey().default(sql`uuidv7()`);

/** Every tenant table begins with these two; row-level security compares them with the transaction's settings. */
export const tenantGroupId = () => uuid().notNull();
export const clinicId = () => uuid().notNull();

/** An instant as PostgreSQL text with microseconds: a JavaScript Date would drop three digits. */
export const instant = () => timestamp({ withTimezone: true, mode: "string" });
export const createdAt = () => instant().notNull().default(sql`clock_timestamp()`);

/** Wall-clock time of a clinic, without zone. The zone is the clinic's; conversion happens in code, never in SQL. */
export const wallClock = () => timestamp({ mode: "string" });

/** Versions, fences and sequences are counters, never timestamps. */
export const counter = () => bigint({ mode: "bigint" });
