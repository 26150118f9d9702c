import { type Context, context, propagation, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { systemClock } from "@/server/clock";
import { readEnvelope } from "@/server/domain/event-log/envelope";
import { MemoryLog } from "@/server/domain/event-log/memory-log";
import { processBatch } from "@/server/domain/inbox/process-batch";
import { retryOnce } from "@/server/domain/inbox/retry-once";
import { effectConsumer, makeEffectsTable, sampleRecord, testControl } from "@/server/domain/inbox/testing";
import { done, type Outcome, quarantine, retryLater } from "@/server/domain/inbox/types";
import { appendEvent } from "@/server/domain/outbox/append-event";
import { relayOnce } from "@/server/domain/outbox/relay-once";
import { ReplayWorld } from "@/server/domain/replay/testing";
import { newUuid } from "@/server/ids";

// A tracer as an operator would load one: every span is kept, contexts travel through awaits, and clients may write their trace into what they send.
const exporter = new InMemorySpanExporter();
let db: TestDatabase;
let world: ReplayWorld;
let log: MemoryLog;
beforeAll(async () => {
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  db = await createTestDatabase();
  await makeEffectsTable(db.superuser);
});
beforeEach(async () => {
  log = new MemoryLog(`memory-${newUuid()}`);
  world = await ReplayWorld.open(db, log);
  exporter.reset();
});
afterAll(async () => {
  trace.disable();
  context.disable();
  propagation.disable();
  await db.close();
});

const commands = ["4bf92f3577b34da6a3ce929d0e0e4736", "0af7651916cd43dd8448eb211c80319c"].map((traceId, n) => ({
  traceId,
  spanId: `00f067aa0ba902b${n + 1}`,
}));
const parentOf = ({ traceId, spanId }: { traceId: string; spanId: string }) => `00-${traceId}-${spanId}-01`;

/** Events of one visit each, announced by traced commands and published by the relay; answers their ids. */
async function published(traces = commands): Promise<string[]> {
  const { tenantGroupId, clinicId } = world.scope;
  const ids: string[] = [];
  for (const one of traces) {
    const read = readEnvelope(sampleRecord(world.scope, newUuid(), 1));
    if (!read.ok) throw new Error(read.reason);
    const event = { ...read.event, topic: "appointment.v1", traceparent: parentOf(one) };
    ids.push(await withTx(db.web, { tenantGroupId, clinicIds: [clinicId] }, (tx) => appendEvent(tx, event)));
  }
  await relayOnce(db.worker, log, { worker: "relay", clock: systemClock, random: () => 0 });
  return ids;
}

/** Whatever runs the work may be traced itself: a worker's loop, an instrumented client, the request of an operator. */
const inSomebodysSpan = <T>(work: () => Promise<T>): Promise<T> =>
  trace.getTracer("test").startActiveSpan("somebody's", async (span) => {
    try {
      return await work();
    } finally {
      span.end();
    }
  });
const consume = (answer: () => Outcome) =>
  inSomebodysSpan(() => processBatch(world.runtime(), effectConsumer(answer), log.all("appointment.v1"), testControl()));
const spans = () => exporter.getFinishedSpans().filter((span) => span.name === "process test-effects-v1");

/** The one thing that holds for every way to a handler. */
function expectLinkedRoot(span: ReturnType<typeof spans>[number] | undefined, linked = commands) {
  expect(span?.kind).toBe(SpanKind.CONSUMER);
  expect(span?.parentSpanContext).toBeUndefined();
  expect(span?.links.map((link) => [link.context.traceId, link.context.spanId, link.context.isRemote]).sort()).toEqual(
    linked.map(({ traceId, spanId }) => [traceId, spanId, true]).sort(),
  );
  expect(linked.map(({ traceId }) => traceId)).not.toContain(span?.spanContext().traceId);
}

it("a live event's consumer starts a trace of its own that links to the command's: one span for a batch, a link for each of its events", async () => {
  const ids = await published();
  expect(await consume(() => done)).toMatchObject({ processed: 2 });
  expect(spans()).toHaveLength(1);
  expectLinkedRoot(spans()[0]);
  expect(
    spans()[0]
      ?.links.map((link) => link.attributes?.["messaging.message.id"])
      .sort(),
  ).toEqual([...ids].sort());
});

it("a retry and a replay link to the command too, however late they come, and are no children of it, of each other or of whoever runs them", async () => {
  const [only] = commands;
  if (!only) throw new Error("no command");
  const [id] = await published([only]);
  await consume(() => retryLater("HANDLER_FAILED"));
  await db.superuser.$client`update inbox set next_attempt_at = clock_timestamp() where event_id = ${id as string}`;
  await inSomebodysSpan(() => retryOnce(world.runtime(), log, [effectConsumer(() => quarantine("UNSUPPORTED_SCHEMA"))], testControl()));
  const operator = await world.person();
  await world.approved(operator, world.group());
  expect(await inSomebodysSpan(() => world.run())).toMatchObject({ state: "COMPLETED", ran: 1 });

  expect(
    spans().map(({ attributes }) => [
      attributes["appointments.attempt"],
      attributes["appointments.replay"],
      attributes["appointments.outcome"],
    ]),
  ).toEqual([
    [1, false, "RETRYABLE"],
    [2, false, "QUARANTINED"],
    [3, true, "PROCESSED"],
  ]);
  for (const span of spans()) expectLinkedRoot(span, [only]);
  expect(new Set(spans().map((span) => span.spanContext().traceId)).size).toBe(3);
});

it("a record keeps the command's trace, whatever an instrumented client of the relay would write into it", async () => {
  log.beforePublish = (records) => {
    const sending = trace.getTracer("client").startSpan("send");
    const carrying: Context = trace.setSpan(context.active(), sending);
    for (const record of records) propagation.inject(carrying, record.headers);
    sending.end();
  };
  await inSomebodysSpan(() => published());
  expect(
    log
      .all("appointment.v1")
      .map((record) => record.headers.traceparent)
      .sort(),
  ).toEqual(commands.map(parentOf).sort());
});

it("a span names deliveries only: no person, no payload, no text of an error; a trace that cannot be read is no link", async () => {
  await published([commands[0] as (typeof commands)[number]]);
  for (const record of log.all("appointment.v1")) record.headers.traceparent = "00-00000000000000000000000000000000-0000000000000000-01";
  await consume(() => {
    throw new Error("Planted Personname");
  });
  const [span] = spans();
  expectLinkedRoot(span, []);
  expect(Object.keys(span?.attributes ?? {}).sort()).toEqual([
    "appointments.attempt",
    "appointments.outcome",
    "appointments.replay",
    "messaging.batch.message_count",
    "messaging.consumer.group.name",
    "messaging.destination.partition.id",
    "messaging.kafka.offset",
    "messaging.message.id",
    "messaging.operation.type",
  ]);
  expect(span?.status.code).toBe(SpanStatusCode.UNSET);
  expect(JSON.stringify([span?.attributes, span?.events, span?.status, span?.links])).not.toContain("Personname");
});
