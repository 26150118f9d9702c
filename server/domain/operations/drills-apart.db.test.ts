import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Db, openDb, withRead, withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { sqlstate } from "@/db/tx-error";
import { systemClock } from "@/server/clock";
import { drillConsumer } from "@/server/domain/drills/drill-world";
import { makeSyntheticScope, newSyntheticScope, type SyntheticScope, scopedUrl } from "@/server/domain/drills/synthetic-scope";
import { drillPerson } from "@/server/domain/drills/testing";
import { MemoryLog } from "@/server/domain/event-log/memory-log";
import { inboxBacklog } from "@/server/domain/inbox/inbox-backlog";
import { retryOnce } from "@/server/domain/inbox/retry-once";
import { insertTestScope, type TestScope, testControl, testRuntime } from "@/server/domain/inbox/testing";
import { notificationBacklog } from "@/server/domain/notifications/notification-backlog";
import { outboxBacklog } from "@/server/domain/outbox/outbox-backlog";
import { relayOnce } from "@/server/domain/outbox/relay-once";
import { newUuid } from "@/server/ids";
import { checkInvariants } from "./check-invariants";
import { deliveryCounts } from "./delivery-counts";
import { needsDecision } from "./needs-decision";
import { workerHealth } from "./worker-health";

// What a drill leaves lying about in its scope (stopped, due, unpublished, unsent), asked of everything that counts or works for real.

let db: TestDatabase;
let live: TestScope;
let scope: SyntheticScope;
let ofDrill: Db;
const worker = { worker: "live" };

beforeAll(async () => {
  db = await createTestDatabase();
  live = await insertTestScope(db.superuser);
  scope = newSyntheticScope();
  await makeSyntheticScope(db.worker, "drill-runner", scope);
  ofDrill = openDb(scopedUrl(db.urls.worker, scope), { max: 2, applicationName: "drill" });
  await leaveEverythingOpen({ tenantGroupId: scope.tenantGroupId, clinicId: scope.clinicId });
});
afterAll(async () => {
  await ofDrill.$client.end();
  await db.close();
});

/** A row of each kind that a live worker would take up or count. */
async function leaveEverythingOpen({ tenantGroupId, clinicId }: TestScope) {
  const sql = db.superuser.$client;
  const ids = { tenant_group_id: tenantGroupId, clinic_id: clinicId };
  const event = { command_id: newUuid(), schema_version: 1, aggregate_type: "appointment", aggregate_seq: 1 };
  const row = {
    ...ids,
    ...event,
    consumer: "drill-effects",
    event_type: "AppointmentCreated",
    content_digest: "d",
    digest_key_id: "k1",
    log_id: "memory-1",
    topic: "appointment.v1",
    partition: 0,
    first_offset: "0",
    last_partition: 0,
    last_offset: "0",
    attempts_max: 5,
    reason_code: "HANDLER_FAILED",
  };
  const past = "2026-01-01T00:00:00Z";
  const fresh = () => ({ event_id: newUuid(), aggregate_id: newUuid() });
  await sql`insert into inbox ${sql({ ...row, ...fresh(), state: "QUARANTINED", quarantined_at: past })}`;
  await sql`insert into inbox ${sql({ ...row, ...fresh(), state: "RETRYABLE", next_attempt_at: past })}`;
  await sql`
    insert into outbox ${sql({ ...ids, ...event, ...fresh(), topic: "appointment.v1", partition_key: "k", type: "AppointmentCreated", payload: "{}" })}`;
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`; // of no visit
    await tx`
      insert into notification_intents
      ${tx({ ...ids, command_id: newUuid(), appointment_id: newUuid(), appointment_version: 1, patient_id: newUuid(), kind: "BOOKED" })}`;
  });
}

describe("the synthetic scope of a drill", () => {
  it("is kept apart from workers by a policy on every table that names a tenant group", async () => {
    const open = await db.superuser.$client`
      select c.relname as name
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and (a.attname = 'tenant_group_id' or c.relname = 'tenant_groups' and a.attname = 'id')
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'drill_runs'
        and not exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'synthetic_apart' and not p.polpermissive)`;
    expect(open.map(({ name }) => name)).toEqual([]);
  });

  it("O-15 is in no number of the metrics page", async () => {
    const [outbox, inbox, intents] = await withRead(
      db.worker,
      worker,
      async (tx) => [await outboxBacklog(tx), await inboxBacklog(tx), await notificationBacklog(tx)] as const,
    );
    expect({ outbox: outbox.byState, inbox, intents: intents.filter(({ count }) => count > 0) }).toEqual({
      outbox: {},
      inbox: [],
      intents: [],
    });
  });

  it("is in no tile, badge or waiting number of STAFF, whichever clinics they ask for", async () => {
    const staff = await drillPerson(db, live);
    for (const clinicIds of [[live.clinicId], [live.clinicId, scope.clinicId]]) {
      const asked = { tenantGroupId: live.tenantGroupId, clinicIds, userId: staff.userId };
      const actor = { ...staff, clinicIds };
      const [counts, badge, health] = await withRead(
        db.web,
        actor,
        async (tx) => [await deliveryCounts(tx, asked), await needsDecision(tx, asked), await workerHealth(tx, asked)] as const,
      );
      expect({ ...counts, badge }).toMatchObject({
        needsDecision: 0,
        waiting: 0,
        badge: 0,
        retry: { count: 0 },
        quarantined: { count: 0 },
      });
      expect(health).toMatchObject({ toPublish: { count: 0 }, toConsume: { count: 0 }, toSend: { count: 0 } });
    }
  });

  it("is not asked when all live records are checked, and so breaks no rule of theirs", async () => {
    expect(await checkInvariants(db.worker)).toEqual([]);
  });

  it("gives live workers nothing to do: relay, scheduler", async () => {
    const log = new MemoryLog();
    const options = { worker: "relay", clock: systemClock, random: () => 0 };
    expect(await relayOnce(db.worker, log, options)).toMatchObject({ claimed: 0 });
    expect(await retryOnce(testRuntime(db.worker), log, [drillConsumer()], testControl())).toMatchObject({ due: 0 });
  });

  it("cannot be named by a live worker, and no replay is written by one", async () => {
    const named = { ...worker, tenantGroupId: scope.tenantGroupId };
    expect(await withRead(db.worker, named, (tx) => tx.sql`select 1 from inbox`)).toHaveLength(0);
    const write = withTx(
      db.worker,
      worker,
      (tx) => tx.sql`insert into replay_items (request_id, position, tenant_group_id, clinic_id, inbox_id, event_id,
      row_version, row_state, partition, "offset") values (${newUuid()}, 1, ${live.tenantGroupId}, ${live.clinicId}, ${newUuid()}, ${newUuid()}, 1, 'QUARANTINED', 0, 0)`,
    );
    expect(sqlstate(await write.catch((error) => error))).toBe("42501");
  });

  it("is all that a connection of a drill sees and writes, and runs are not among it", async () => {
    const seen = await withRead(ofDrill, worker, (tx) => tx.sql`select id from tenant_groups`);
    expect(seen).toEqual([{ id: scope.tenantGroupId }]);
    expect(await withRead(ofDrill, { ...worker, tenantGroupId: live.tenantGroupId }, (tx) => tx.sql`select 1 from clinics`)).toHaveLength(
      0,
    );
    expect(
      (await withTx(ofDrill, worker, (tx) => tx.sql`update users set locale = 'ko' where tenant_group_id = ${live.tenantGroupId}`)).count,
    ).toBe(0);
    await db.superuser.$client`
      insert into drill_runs (tenant_group_id, ref, drill, carried_out, started_by_kind, started_by_ref)
      values (${live.tenantGroupId}, 'DR-X', 'lease-lost', 'AUTOMATED', 'person', 'ST-1')`;
    expect(await withRead(ofDrill, worker, (tx) => tx.sql`select 1 from drill_runs`)).toHaveLength(0);
    expect(await withRead(db.worker, worker, (tx) => tx.sql`select 1 from drill_runs`)).toHaveLength(1);
  });

  it("is made and removed by workers only, in its range only", async () => {
    const asWeb = withTx(
      db.web,
      { tenantGroupId: live.tenantGroupId },
      (tx) => tx.sql`select remove_synthetic_scope(${scope.tenantGroupId}::uuid)`,
    );
    expect(sqlstate(await asWeb.catch((error) => error))).toBe("42501");
    const ofLive = withTx(db.worker, worker, (tx) => tx.sql`select remove_synthetic_scope(${live.tenantGroupId}::uuid)`);
    expect(sqlstate(await ofLive.catch((error) => error))).toBe("42501");
    const madeLive = makeSyntheticScope(db.worker, "drill-runner", { ...newSyntheticScope(), tenantGroupId: newUuid() });
    expect(sqlstate(await madeLive.catch((error) => error))).toBe("42501");
  });
});
