import { afterAll, beforeAll, expect, it } from "vitest";
import { withRead } from "@/db/client";
import { sweepOutbox } from "@/server/domain/outbox/sweep-outbox";
import { newUuid } from "@/server/ids";
import { logicalConsumers } from "@/workers/logical-consumers";
import { World } from "@/workers/model/testing/world";
import { checkInvariants } from "./check-invariants";
import { commandStory, storyRecords } from "./command-story";
import { deliveryEvidence } from "./delivery-evidence";
import { deliveryQueue } from "./delivery-queue";
import { listStories } from "./list-stories";
import { queueFilter } from "./types";

// What STAFF can say of a command a year later, when the rows of its events have left the outbox.

let world: World;
let scope: { tenantGroupId: string; clinicIds: string[] };
let commands: { book: string; move: string };
const sql = () => world.db.superuser.$client;
const read = <T>(fn: Parameters<typeof withRead<T>>[2]) => withRead<T>(world.db.web, scope, fn);

beforeAll(async () => {
  world = await World.open();
  const { tenantGroupId, ber } = world.fixture.t1;
  scope = { tenantGroupId, clinicIds: [ber.id] };
  const booked = await world.send({ kind: "book", wish: { slot: 0, doctor: 0, patient: 0 } }, `key-${newUuid()}`);
  const visit = JSON.parse(booked.body) as { id: string; ref: string };
  await world.drain();
  const moved = await world.send({ kind: "move", visit, version: 1, slot: 4, doctor: 0 } as never, `key-${newUuid()}`);
  await world.drain();
  commands = { book: booked.commandId, move: moved.commandId };
  // a hundred days go by: ids carry the time at which they were made
  await sql().begin(async (tx) => {
    await tx`create temporary table ages on commit drop as select event_id as was, uuidv7(interval '-100 days') as now from outbox`;
    await tx`update outbox o set event_id = a.now, published_at = published_at - interval '100 days' from ages a where o.event_id = a.was`;
    await tx`update inbox i set event_id = a.now from ages a where i.event_id = a.was`;
    await tx`update inbox_deliveries d set event_id = a.now from ages a where d.event_id = a.was`;
  });
});
afterAll(() => world.db.close());

const storyOf = async (commandId: string) => {
  const head = await read((tx) => commandStory(tx, scope, commandId));
  const { records } = await read((tx) => storyRecords(tx, scope, commandId, null, 100));
  return { head, records };
};
const evidenceOf = async (eventId: string) => {
  const [row] = await sql()<{ id: string }[]>`select id from inbox where event_id = ${eventId} and consumer = 'daily-load-v1'`;
  return read((tx) => deliveryEvidence(tx, scope, "inbox", row?.id as string));
};
const lineOf = async (commandId: string) => (await read((tx) => listStories(tx, scope, commandId, null, 5))).lines[0];
const foundBy = async (search: string) => {
  const page = await read((tx) => deliveryQueue(tx, { ...scope, userId: newUuid() }, queueFilter.parse({ search }), null, 50));
  return page.rows.map((row) => row.id).sort();
};

it("a story loses nothing but the content: the same records and counts, what is done stays done, and each row that left says when", async () => {
  const [event] = await sql()<{ event_id: string }[]>`select event_id from outbox where command_id = ${commands.book}`;
  const eventId = event?.event_id as string;
  const before = {
    story: await storyOf(commands.book),
    evidence: await evidenceOf(eventId),
    line: await lineOf(commands.book),
    found: await foundBy(eventId),
  };
  expect(before.story.head?.counts).toMatchObject({ events: 1, published: 1, left: 0 });
  expect(before.found.length).toBe(2);

  expect(await sweepOutbox(world.db.worker, "sweeper", { retentionDays: 90, consumers: logicalConsumers, after: null })).toMatchObject({
    left: 2,
  });
  expect(await sql()`select 1 from outbox`).toHaveLength(0);

  const after = await storyOf(commands.book);
  expect(after.head).toEqual({
    ...before.story.head,
    counts: { ...before.story.head?.counts, left: 1, records: (before.story.head?.counts.records ?? 0) + 1 },
    asOf: after.head?.asOf,
  });
  expect(after.head?.open).toEqual([]);
  expect(after.records.slice(0, -1)).toEqual(before.story.records);
  expect(after.records.at(-1)).toMatchObject({ kind: "left", what: "AppointmentCreated", number: 1 });

  const evidence = await evidenceOf(eventId);
  expect(evidence?.publication?.leftAt).toBeTruthy();
  const publication = { ...before.evidence?.publication, leftAt: evidence?.publication?.leftAt };
  expect(evidence).toEqual({ ...before.evidence, publication, asOf: evidence?.asOf });
  expect(await lineOf(commands.book)).toEqual(before.line);
  expect(await foundBy(eventId)).toEqual(before.found);
});

it("the checker accepts what has left, and still notices a change that was never announced and an event that is in two places", async () => {
  const noticed = async () => (await checkInvariants(world.db.worker)).map(({ invariant }) => invariant);
  const announced = "each change announces itself once, under its version and command";
  const finished = "an event whose row has left the outbox was finished by every consumer that took it, and is not in the outbox too";
  expect(await noticed()).toEqual([]);
  for (const command of [commands.book, commands.move]) {
    const [taken] = await sql()`delete from publications where command_id = ${command} returning *`;
    expect(await noticed()).toEqual([announced]);
    await sql()`insert into publications select * from jsonb_populate_record(null::publications, ${JSON.stringify(taken)}::text::jsonb)`;
    expect(await noticed()).toEqual([]);
  }
  await sql()`alter table outbox disable trigger outbox_sequence_once`;
  await sql()`
    insert into outbox (event_id, tenant_group_id, clinic_id, command_id, topic, partition_key, aggregate_type, aggregate_id, aggregate_seq, type,
      schema_version, payload, state, published_at, log_id, log_partition, log_offset)
    select event_id, tenant_group_id, clinic_id, command_id, topic, 'k', aggregate_type, aggregate_id, aggregate_seq, type, schema_version, '{}',
      'PUBLISHED', published_at, log_id, log_partition, log_offset
    from publications where command_id = ${commands.move}`;
  expect(await noticed()).toContain(finished);
  await sql()`delete from outbox`;
  await sql()`alter table outbox enable trigger outbox_sequence_once`;
  await sql()`update inbox set state = 'QUARANTINED', quarantined_at = clock_timestamp(), reason_code = 'HANDLER_FAILED', processed_at = null, effect = null
    where command_id = ${commands.move} and consumer = 'daily-load-v1'`;
  expect(await noticed()).toContain(finished);
});
