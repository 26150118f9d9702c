import { afterAll, beforeAll, expect, it } from "vitest";
import { withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { systemClock } from "@/server/clock";
import { insertTestScope, sampleRecord } from "@/server/domain/inbox/testing";
import { beat } from "@/server/domain/leases/heartbeat";
import { appendEvent } from "@/server/domain/outbox/append-event";
import { relayOnce } from "@/server/domain/outbox/relay-once";
import { openEventLog, prepareEventLog } from "@/server/event-log/open-event-log";
import { newUuid } from "@/server/ids";
import { openWorkerPools, type WorkerPools } from "./pools";

const embedded = { EVENT_LOG: "postgres" as const, KAFKA_BROKERS: [] };
let db: TestDatabase;
let pools: WorkerPools;

beforeAll(async () => {
  db = await createTestDatabase();
  pools = openWorkerPools({ WORKER_DATABASE_URL: db.urls.worker, DATABASE_POOL_MAX: 2, DATABASE_PREPARE: true });
});
afterAll(async () => {
  await pools.close();
  await db.close();
});

it("while slow consumers hold every connection of the process, an event is published and the heart beats", async () => {
  await prepareEventLog(embedded, pools.shared);
  const scope = await insertTestScope(db.superuser);
  const id = newUuid();
  await withTx(db.web, { tenantGroupId: scope.tenantGroupId, clinicIds: [scope.clinicId] }, (tx) =>
    appendEvent(tx, {
      ...scope,
      commandId: newUuid(),
      topic: "appointment.v1",
      aggregateType: "appointment",
      aggregateId: id,
      aggregateSeq: 1,
      type: "AppointmentStatusChanged",
      schemaVersion: 1,
      payload: JSON.parse(sampleRecord(scope, id, 1).value),
    }),
  );
  let release!: () => void;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const consumers = pools.of("appointment-consumers");
  let holding = 0;
  const held = [1, 2].map(() =>
    consumers.$client.begin(async (sql) => {
      await sql`select 1`;
      holding += 1;
      await released;
    }),
  );
  while (holding < 2) await new Promise((resolve) => setTimeout(resolve, 2));
  let isServed = false;
  const queued = consumers.$client`select 1`.then(() => {
    isServed = true;
  });

  try {
    const relay = pools.of("outbox-relay");
    const log = await openEventLog(embedded, relay);
    const result = await relayOnce(relay, log, { worker: "relay-1", clock: systemClock, random: Math.random });
    await beat(pools.vital, "workers-1", [{ workerId: "relay-1", role: "outbox-relay", state: "RUNNING", details: {} }]);
    expect({ ...result, isServed }).toMatchObject({ claimed: 1, published: 1, isServed: false });
  } finally {
    release();
    await Promise.allSettled([...held, queued]);
  }
});
