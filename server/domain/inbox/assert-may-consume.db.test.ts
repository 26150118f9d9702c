import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { MemoryLog } from "@/server/domain/event-log/memory-log";
import type { LogRecord } from "@/server/domain/event-log/port";
import { newUuid } from "@/server/ids";
import { assertMayConsume } from "./assert-may-consume";
import { assertNotMovedBack } from "./assert-not-moved-back";
import { processBatch } from "./process-batch";
import { effectConsumer, insertTestScope, makeEffectsTable, sampleRecord, type TestScope, testControl, testRuntime } from "./testing";
import { done, type Outcome, retryLater } from "./types";

let db: TestDatabase;
let scope: TestScope;
let log: MemoryLog;
const consumer = effectConsumer();

beforeAll(async () => {
  db = await createTestDatabase();
  await makeEffectsTable(db.superuser);
  scope = await insertTestScope(db.superuser);
});
afterAll(() => db.close());
beforeEach(async () => {
  log = new MemoryLog();
  await db.superuser.$client`truncate inbox, inbox_deliveries, inbox_sequences, outbox`;
});

const assert = (eventLog = log) => assertMayConsume(db.worker, "w", eventLog, [consumer]);
const receive = async (outcome: Outcome = done) => {
  const [position] = await log.publish("appointment.v1", [sampleRecord(scope, newUuid(), 1)]);
  const record = log.partition("appointment.v1", position?.partition as number).at(-1) as LogRecord;
  await processBatch(
    testRuntime(db.worker),
    effectConsumer(() => outcome),
    [record],
    testControl(),
  );
};

it("a first start, and one behind stored offsets, may consume", async () => {
  await assert();
  await receive();
  const consumption = await log.consume(consumer.id, ["appointment.v1"], async () => {});
  while ((await log.groupOffsets(consumer.id, "appointment.v1")).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await consumption.stop();
  await assert();
});

it("a group without offsets whose consumer has rows does not start again from the beginning", async () => {
  await receive();
  await expect(assert()).rejects.toThrow("stored no offset");
});

it("another log is not read while unfinished rows lie in the old one", async () => {
  await receive(retryLater("LATER"));
  await expect(assert(new MemoryLog("memory-2"))).rejects.toThrow("another event log");
});

it("another log is not read while the old one holds events that a consumer has not seen", async () => {
  await receive();
  const other = new MemoryLog("memory-2");
  await assert(other);
  await db.superuser.$client`
    insert into outbox (tenant_group_id, clinic_id, command_id, topic, partition_key, aggregate_type, aggregate_id, aggregate_seq, type,
      schema_version, payload, state, published_at, log_id, log_partition, log_offset)
    values (${scope.tenantGroupId}, ${scope.clinicId}, uuidv7(), 'appointment.v1', 'k', 'appointment', uuidv7(), 1, 'AppointmentCreated', 1, '{}',
      'PUBLISHED', clock_timestamp(), 'memory-1', 0, 0)`;
  await expect(assert(other)).rejects.toThrow("another event log");
});

it("a group that was moved back by hand does not start: a crash explains a batch, not more", async () => {
  for (let n = 0; n < 3; n++) await receive();
  const consumption = await log.consume(consumer.id, ["appointment.v1"], async () => {});
  const stored = () => log.groupOffsets(consumer.id, "appointment.v1");
  const sum = (offsets: { offset: string }[]) => offsets.reduce((all, { offset }) => all + Number(offset), 0);
  while (sum(await stored()) < 3) await new Promise((resolve) => setTimeout(resolve, 5));
  await consumption.stop();
  const [group] = await stored();
  await db.superuser.$client`
    update inbox set last_offset = ${Number(group?.offset) + 5_000} where id = (select id from inbox where last_partition = ${group?.partition as number} limit 1)`;
  const assertOffsets = () => assertNotMovedBack(db.worker, "w", log, [consumer]);
  await assertOffsets();
  await db.superuser.$client`update inbox set last_offset = last_offset + 1 where last_offset > 5000`;
  await expect(assertOffsets()).rejects.toThrow("moved back");
});
