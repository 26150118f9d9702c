import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import type { EventLog } from "@/server/domain/event-log/port";
import { processBatch } from "@/server/domain/inbox/process-batch";
import { effectConsumer, makeEffectsTable } from "@/server/domain/inbox/testing";
import { done, quarantine } from "@/server/domain/inbox/types";
import { openKafkaLog, prepareKafkaLog } from "@/server/event-log/kafka";
import { newUuid } from "@/server/ids";
import { clearTestPoints, setTestPoint } from "@/server/test-points";
import { ReplayWorld, wideBounds } from "./testing";

const brokers = (process.env.KAFKA_BROKERS ?? "").split(",").filter(Boolean);
const topic = "appointment.v1";
let db: TestDatabase;
let log: EventLog;
let world: ReplayWorld;

beforeAll(async () => {
  if (brokers.length === 0) throw new Error("KAFKA_BROKERS names no cluster: npm run test:kafka starts one");
  await prepareKafkaLog(brokers);
  log = openKafkaLog(brokers);
  db = await createTestDatabase();
  await makeEffectsTable(db.superuser);
  world = await ReplayWorld.open(db, log);
});
afterEach(clearTestPoints);
afterAll(async () => {
  await log?.close();
  await db?.close();
});

it("a replay on Kafka, with a runner that dies in it, leaves the stopped operating group's offsets as they were and each event with one effect", async () => {
  const id = `test-effects-${newUuid()}`;
  const rows = await world.stopped(8, "INVALID_PAYLOAD", id);
  const stopped = effectConsumer(() => quarantine("INVALID_PAYLOAD"), { id });
  const consumption = await log.consume(id, [topic], async (batch, control) => {
    await processBatch(world.runtime({ worker: "consumer-a" }), stopped, batch, control);
  });
  const reached = async () => {
    const [stored, marks] = [await log.groupOffsets(id, topic), await log.watermarks(topic)];
    return (
      rows.every(({ partition, offset }) => BigInt(stored.find((one) => one.partition === partition)?.offset ?? 0) > BigInt(offset)) &&
      marks
    );
  };
  while (!(await reached())) await new Promise((resolve) => setTimeout(resolve, 100));
  await consumption.stop();
  const before = await log.groupOffsets(id, topic);

  const operator = await world.person();
  const selection = { kind: "group" as const, consumer: id, reasonCode: "INVALID_PAYLOAD", recordsMax: 100 };
  const request = await world.approved(operator, selection, { bounds: { ...wideBounds, canarySize: 2 } });
  expect(request.records).toBe(8);
  const consumer = effectConsumer(() => done, { id });
  let met = 0;
  setTestPoint("replay.afterItem", () => {
    met += 1;
    if (met === 3) throw new Error("the process dies here");
  });
  await expect(world.run(consumer)).rejects.toThrow("dies here");
  clearTestPoints();
  await world.expireLeases();
  expect(await world.run(consumer, { runtime: { worker: "runner-b" } })).toMatchObject({ state: "COMPLETED", ran: 5 });
  expect(await log.groupOffsets(id, topic)).toEqual(before);
  expect(await world.request(request.requestId)).toMatchObject({ processed: 8, offsets_before: before, offsets_after: before });
  for (const { eventId } of rows) expect(await world.effects(eventId)).toBe(1);
});

it("a range beyond the log's end is not clamped on Kafka either", async () => {
  const id = `test-effects-${newUuid()}`;
  const [row] = await world.stopped(1, "INVALID_PAYLOAD", id);
  const partition = row?.partition as number;
  const high = Number((await log.watermarks(topic)).find((mark) => mark.partition === partition)?.high);
  const ranges = [{ partition, first: row?.offset as string, last: String(high + 2) }];
  const request = await world.approved(await world.person(), { kind: "range", consumer: id, recordsMax: 10, ranges });
  await world.run(effectConsumer(() => done, { id }));
  expect(await world.request(request.requestId)).toMatchObject({
    state: "INCOMPLETE",
    processed: 1,
    missing: [{ partition, first: String(high), last: String(high + 2) }],
  });
});
