import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Tx, withRead } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { deliveryCounts } from "./delivery-counts";
import { deliveryQueue } from "./delivery-queue";
import { needsDecision } from "./needs-decision";
import { reasonGroups } from "./reason-groups";
import { type QueueCursor, queueFilter } from "./types";

// What a page costs is counted in rows that the database touched, so that no clock decides.

let db: TestDatabase;
const [group, clinic] = [randomUUID(), randomUUID()];
const scope = { tenantGroupId: group, clinicIds: [clinic], userId: randomUUID() };
const actor = { tenantGroupId: group, clinicIds: [clinic] };
const [stopped, waiting, settled, reasons] = [6_000, 6_000, 12_000, 431];

beforeAll(async () => {
  db = await createTestDatabase();
  const sql = db.superuser.$client;
  await sql`insert into tenant_groups (id, ref, name) values (${group}, 'TG-1', 'Northbank')`;
  await sql`insert into clinics (id, tenant_group_id, ref, name, zone) values (${clinic}, ${group}, 'CL-1', 'Harbour', 'Europe/Berlin')`;
  await sql`
    insert into inbox (tenant_group_id, clinic_id, consumer, event_id, command_id, event_type, schema_version, aggregate_type, aggregate_id, aggregate_seq,
      content_digest, digest_key_id, log_id, topic, partition, first_offset, last_partition, last_offset, state, attempts, attempts_max, reason_code,
      quarantined_at, next_attempt_at, processed_at, effect)
    select ${group}, ${clinic}, 'daily-load-v1', uuidv7(), uuidv7(), 'AppointmentCreated', 1, 'appointment', uuidv7(), 1, 'digest', 'k1', 'log-1',
      'appointment.v1', 3, n, 3, n, s.state, 1, 5,
      case s.state when 'PROCESSED' then null when 'RETRYABLE' then 'LATER' else 'REASON_' || n % ${reasons} end,
      case s.state when 'QUARANTINED' then now() - n * interval '1 s' end, case s.state when 'RETRYABLE' then now() + n * interval '1 s' end,
      case s.state when 'PROCESSED' then now() - n * interval '1 s' end, case s.state when 'PROCESSED' then 'APPLIED' end
    from (values ('QUARANTINED', ${stopped}::int), ('RETRYABLE', ${waiting}::int), ('PROCESSED', ${settled}::int)) s (state, wanted),
      generate_series(1, s.wanted) n`;
  await sql`
    insert into inbox_deliveries (tenant_group_id, clinic_id, inbox_id, consumer, event_id, command_id, attempt, outcome, log_id, partition, "offset",
      worker, started_at, duration_ms, at)
    select tenant_group_id, clinic_id, id, consumer, event_id, command_id, 1, 'PROCESSED', log_id, partition, first_offset, 'w', processed_at, 1, processed_at
    from inbox where state = 'PROCESSED'`;
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`; // history alone: the visits behind it are not asked for
    await tx`
      insert into appointment_history (tenant_group_id, clinic_id, appointment_id, version, command_id, change, to_status, to_starts_at, to_doctor_id,
        actor_kind, actor_id, actor_ref, source)
      select tenant_group_id, clinic_id, aggregate_id, 1, command_id, 'CREATED', 'CONFIRMED', now(), uuidv7(), 'person', 'u', 'ST-1', 'DESK' from inbox`;
  });
  await sql`analyze`;
}, 60_000);
afterAll(() => db.close());

/** What a read answered, and how many rows of the queue's tables and of the visits' history it fetched; a table read from end to end counts with all of them. */
function counted<T>(read: (tx: Tx) => Promise<T>): Promise<{ answer: T; rows: number }> {
  const work = async (tx: Tx) => {
    const before = await fetched(tx); // earlier transactions of this connection may be counted in it
    const answer = await read(tx);
    return { answer, rows: (await fetched(tx)) - before };
  };
  return withRead(db.web, actor, work, { byIndex: true });
}

async function fetched(tx: Tx): Promise<number> {
  const [touched] = await tx.sql<{ rows: number }[]>`
    select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::int as rows
    from pg_stat_xact_user_tables
    where relname in ('inbox', 'inbox_deliveries', 'delivery_tasks', 'command_calls', 'outbox', 'appointment_history')`;
  return touched?.rows ?? 0;
}

describe.each([
  ["what needs a decision", "DECISION", { decisionOnly: true }, stopped],
  ["what waits", "WAITING", { states: ["RETRYABLE"] as const }, waiting],
  ["what settled", "SETTLED", { states: ["PROCESSED"] as const }, settled],
  ["what settled in a time range", "SETTLED", { states: ["PROCESSED"] as const, since: "7d" as const }, settled],
] as const)("a page of %s", (_, name, filter, rows) => {
  it("O-13 costs the same at the start and far behind it, and every row comes once", async () => {
    const wanted = queueFilter.parse(filter);
    const seen = new Set<string>();
    const costs: number[] = [];
    let cursor: QueueCursor | null = null;
    do {
      const page = await counted((tx) => deliveryQueue(tx, scope, wanted, cursor, 500));
      for (const row of page.answer.rows) seen.add(row.id);
      expect(page.answer.rows.every((row) => row.group === name)).toBe(true);
      costs.push(page.rows);
      cursor = page.answer.next;
    } while (cursor);
    expect(seen.size).toBe(rows);
    expect(costs.length).toBe(rows / 500);
    expect(Math.max(...costs)).toBeLessThanOrEqual(2 * (costs[0] as number));
    expect(costs[0]).toBeLessThan(500 * 8); // a page, the row behind each of its keys, and nothing of the rest
  });
});

describe("counts", () => {
  it("O-E of decisions and of reasons come from the counters, exactly, and touch no row of the queue", async () => {
    const badge = await counted((tx) => needsDecision(tx, scope));
    expect([badge.answer, badge.rows]).toEqual([stopped, 0]);
    const groups = await counted((tx) => reasonGroups(tx, scope, null, 200));
    expect(groups.answer.total).toEqual({ groups: reasons, rows: stopped });
    expect(groups.answer.groups).toHaveLength(200);
    expect(groups.rows).toBeLessThanOrEqual(2 * 200); // the oldest of each group that is shown
    const rest = await withRead(db.web, actor, (tx) => reasonGroups(tx, scope, groups.answer.next, 500));
    const all = [...groups.answer.groups, ...rest.groups];
    expect(new Set(all.map(({ id }) => id)).size).toBe(reasons);
    expect(all.reduce((sum, { open }) => sum + open, 0)).toBe(stopped);
  });

  it("on the tiles are what the rows say", async () => {
    const { answer } = await counted((tx) => deliveryCounts(tx, scope));
    expect(answer).toMatchObject({ needsDecision: stopped, waiting, mine: 0, kept: 0 });
    expect([answer.quarantined.count, answer.retry.count, answer.processed.count]).toEqual([stopped, waiting, settled]);
  });
});
