import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { type ClinicFixture, createClinicFixture, type FixturePatient } from "@/server/domain/clinics/testing";
import { insertIntent, insertVisit } from "@/server/domain/notifications/testing";
import { queueTables } from "@/server/domain/operations/vacuum-facts";
import { openPostgresLog, preparePostgresLog } from "@/server/event-log/postgres";
import { metricsRegistry } from "@/server/metrics";
import { logicalConsumers } from "./logical-consumers";
import { gatherGauges } from "./metrics";

let db: TestDatabase;
let fixture: ClinicFixture;
beforeAll(async () => {
  db = await createTestDatabase();
  fixture = await createClinicFixture(db.migrator, { patients: 1 });
  await preparePostgresLog(db.worker);
});
afterAll(() => db.close());

it("a backlog of messages stands on the page with its age, also while no dispatcher runs, and leaves it when it is gone", async () => {
  const visit = await insertVisit(db.migrator, fixture.t1.ber, fixture.t1.patients[0] as FixturePatient);
  await insertIntent(db.web, visit, "BOOKED");
  await db.superuser.$client`update notification_intents set created_at = created_at - interval '90 seconds'`;
  const page = async () => {
    await gatherGauges(db.worker, openPostgresLog(db.worker), logicalConsumers, []);
    return metricsRegistry().metrics();
  };
  const waiting = await page();
  expect(waiting).toContain('aops_notification_intents{state="PENDING"} 1');
  expect(Number(/aops_notification_oldest_seconds\{state="PENDING"\} (\S+)/.exec(waiting)?.[1])).toBeGreaterThanOrEqual(90);
  await db.superuser.$client`update notification_intents set state = 'SENT', settled_at = clock_timestamp()`;
  expect(await page()).not.toContain('aops_notification_intents{state="PENDING"}');
  expect(waiting).not.toContain(fixture.t1.tenantGroupId);
});

it("a dead worker, lost leases, ended replays and unsealed entries stand there as numbers that the database gives, for every role", async () => {
  const { t1 } = fixture;
  const sql = db.superuser.$client;
  const clinicId = t1.ber.id;
  await sql`
    insert into worker_heartbeats (worker_id, role, beat_at, state, details)
    values ('gone', 'outbox-relay', clock_timestamp() - interval '45 seconds', 'RUNNING', '{}'), ('here', 'audit-sealer', clock_timestamp(), 'RUNNING', '{}')`;
  await sql`
    insert into inbox_deliveries (tenant_group_id, clinic_id, inbox_id, consumer, event_id, outcome, reason_code, log_id, partition, "offset", worker, started_at, duration_ms)
    select ${t1.tenantGroupId}, ${clinicId}, uuidv7(), 'daily-load-v1', uuidv7(), 'RETRYABLE', reason, 'log', 1, n, 'w', now(), 1
    from unnest(array['LEASE_EXPIRED', 'LEASE_EXPIRED', 'HANDLER_FAILED']) with ordinality as r (reason, n)`;
  await sql`
    insert into audit_entries (tenant_group_id, actor_kind, actor_id, actor_ref, act, result, at)
    values (${t1.tenantGroupId}, 'worker', 'w', 'w', 'test.acted', 'DONE', clock_timestamp() - interval '10 minutes')`;
  await gatherGauges(db.worker, openPostgresLog(db.worker), logicalConsumers, []);
  const page = await metricsRegistry().metrics();
  const value = (line: string) => Number(new RegExp(`^${line.replace(/[{}"]/g, "\\$&")} (\\S+)`, "m").exec(page)?.[1]);
  expect(value('aops_worker_processes{role="outbox-relay"}')).toBe(0);
  expect(value('aops_worker_heartbeat_age_seconds{role="outbox-relay"}')).toBeGreaterThanOrEqual(45);
  expect(value('aops_worker_processes{role="audit-sealer"}')).toBe(1);
  expect(value('aops_worker_processes{role="replay-runner"}')).toBe(0); // never seen is no process, and no age
  expect(page).not.toContain('aops_worker_heartbeat_age_seconds{role="replay-runner"}');
  expect(value('aops_inbox_leases_lost_hour{consumer="daily-load-v1"}')).toBe(2);
  expect(value('aops_replay_items_day{outcome="processed"}')).toBe(0);
  expect(value("aops_audit_unsealed_entries")).toBe(1);
  expect(value("aops_audit_unsealed_oldest_seconds")).toBeGreaterThanOrEqual(600);
  expect(value("aops_audit_broken_chains")).toBe(0);
  for (const secret of [t1.tenantGroupId, clinicId]) expect(page).not.toContain(secret);
});

it("dead rows of every queue table and the transaction that keeps them stand there, whoever runs it", async () => {
  const sql = db.superuser.$client;
  const gather = async () => {
    await gatherGauges(db.worker, openPostgresLog(db.worker), logicalConsumers, []);
    const page = await metricsRegistry().metrics();
    return (line: string) => Number(new RegExp(`^${line.replace(/[{}"]/g, "\\$&")} (\\S+)`, "m").exec(page)?.[1]);
  };
  const quiet = await gather();
  for (const table of queueTables) expect([table, quiet(`aops_table_dead_rows{table="${table}"}`)]).toEqual([table, expect.any(Number)]);
  expect(quiet("aops_database_oldest_transaction_seconds")).toBeLessThan(60);

  // another role's read, which a worker cannot see in pg_stat_activity, holds the horizon; writes go on
  await db.web.$client.begin("isolation level repeatable read read only", async (reader) => {
    await reader`select 1 from pg_class limit 1`;
    for (let n = 0; n < 20; n++) await sql`update notification_intents set attempts = attempts + 1`;
    await sql`select pg_stat_force_next_flush()`;
    await sql`vacuum notification_intents`;
    const held = await gather();
    expect(held("aops_database_xmin_age_transactions")).toBeGreaterThanOrEqual(20);
    expect(held("aops_database_oldest_transaction_seconds")).toBeGreaterThan(0);
    expect(held('aops_table_dead_rows{table="notification_intents"}')).toBeGreaterThanOrEqual(20);
  });
  const freed = await gather();
  expect(freed("aops_database_xmin_age_transactions")).toBeLessThan(20);

  const undo = new Error("undo");
  const hidden = sql.begin(async (tx) => {
    await tx`revoke pg_read_all_stats from aops_migrator`;
    await tx`set local role aops_migrator`;
    expect(await tx`select * from vacuum_horizon()`).toEqual([{ xmin_age: null, oldest_seconds: null }]); // not seen is not 0
    throw undo;
  });
  await expect(hidden).rejects.toBe(undo);
});

it("every queue table is vacuumed early", async () => {
  const rows = await db.superuser.$client<{ name: string; options: string[] | null }[]>`
    select relname as name, reloptions as options from pg_class where relnamespace = 'public'::regnamespace and relname = any (${[...queueTables]}::text[])`;
  expect(rows).toHaveLength(queueTables.length);
  for (const { name, options } of rows)
    expect([name, options]).toEqual([name, expect.arrayContaining(["autovacuum_vacuum_scale_factor=0.02"])]);
});
