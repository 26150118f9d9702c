// The event log in PostgreSQL, for a deployment that needs no broker: partitions with gap-free offsets, group offsets, bounded reads.
// Written by server/event-log/postgres.ts only (SQL of a port's adapter). No tenant policy: a log is read by workers, never by a person.
import { sql } from "drizzle-orm";
import { bigint, check, customType, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { counter, createdAt, instant } from "./columns";

const bytea = customType<{ data: Buffer }>({ dataType: () => "bytea" });

/** One row: the identity of this log, made by the migration; a position names it. */
export const logIdentity = pgTable("log_identity", { id: text().primaryKey(), createdAt: createdAt() });

export const logPartitions = pgTable(
  "log_partitions",
  {
    topic: text().notNull(),
    partition: integer().notNull(),
    /** Updated by the append that takes the offsets, so they have no gaps and appear in order. */
    nextOffset: bigint({ mode: "bigint" }).notNull().default(sql`0`),
    lowOffset: bigint({ mode: "bigint" }).notNull().default(sql`0`),
  },
  (t) => [primaryKey({ columns: [t.topic, t.partition] }), check("log_partitions_offsets", sql`low_offset between 0 and next_offset`)],
);

export const logRecords = pgTable(
  "log_records",
  {
    topic: text().notNull(),
    partition: integer().notNull(),
    offset: bigint({ mode: "bigint" }).notNull(),
    key: text().notNull(),
    headers: jsonb().notNull(),
    value: bytea().notNull(),
    appendedAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.topic, t.partition, t.offset] })],
);

/** Where a group stands in each partition, and which of its members reads it now (lease and fence). */
export const logGroupOffsets = pgTable(
  "log_group_offsets",
  {
    groupId: text().notNull(),
    topic: text().notNull(),
    partition: integer().notNull(),
    /** The next offset to read. */
    nextOffset: bigint({ mode: "bigint" }).notNull().default(sql`0`),
    fence: counter().notNull().default(sql`0`),
    owner: text(),
    leaseUntil: instant(),
    updatedAt: instant().notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    primaryKey({ columns: [t.groupId, t.topic, t.partition] }),
    check("log_group_offsets_lease", sql`(owner is null) = (lease_until is null)`),
  ],
);

/** Members that are alive, so that a group shares its partitions fairly. */
export const logGroupMembers = pgTable(
  "log_group_members",
  {
    groupId: text().notNull(),
    memberId: text().notNull(),
    aliveUntil: instant().notNull(),
  },
  (t) => [primaryKey({ columns: [t.groupId, t.memberId] })],
);
