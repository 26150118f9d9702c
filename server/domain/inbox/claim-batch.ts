import { type Tx, withTx } from "@/db/client";
import { contentDigest } from "@/server/domain/event-log/content-digest";
import { passedOver } from "./pass-over";
import { type Delivery, recordDeliveries } from "./record-deliveries";
import { recordRejections } from "./record-rejections";
import type { Arrival, Rejection } from "./sort-arrivals";
import { type InboxState, type Meeting, meetDelivery } from "./states";
import { attemptsMaxDefault, type ClaimedRow, type InboxRuntime, type LogicalConsumer, leaseMsDefault } from "./types";

export type BatchClaim = {
  claimed: ClaimedRow[];
  /** Their row is held by another worker: wait a little, then leave them to the scheduler. */
  held: Arrival[];
  blocked: number;
  duplicates: number;
  waiting: number;
  quarantined: number;
};

/**
 * Makes every arrival durable in a transaction of its own; after it the log's offset may move. New events are claimed (attempt 1, fence 1, lease), or
 * stored behind an unfinished earlier event of their aggregate, or quarantined when they cannot be handled. Events that have a row already are
 * compared with it. `isLastLook`: what is still held is written down and left.
 */
export function claimBatch(runtime: InboxRuntime, consumer: LogicalConsumer, arrivals: Arrival[], isLastLook = false): Promise<BatchClaim> {
  const work = async (tx: Tx) => {
    const claim: BatchClaim = { claimed: [], held: [], blocked: 0, duplicates: 0, waiting: 0, quarantined: 0 };
    const deliveries: Delivery[] = [];
    const inserted = await insertNew(tx, runtime, consumer, arrivals);
    for (const arrival of arrivals) {
      const row = inserted.get(arrival.inboxId);
      if (row?.state === "PROCESSING") claim.claimed.push(toClaimed(arrival, consumer));
      if (row?.state === "RETRYABLE") claim.blocked += 1;
      if (row?.state === "QUARANTINED") claim.quarantined += 1;
      if (row && row.state !== "PROCESSING") deliveries.push(arrivalOf(arrival, arrival.inboxId, row.state, row.reason));
    }
    const known = arrivals.filter((arrival) => !inserted.has(arrival.inboxId));
    if (known.length > 0) await meetKnown(tx, runtime, consumer, known, isLastLook, claim, deliveries);
    if (claim.claimed.length < arrivals.length) await tx.sql`set local synchronous_commit = on`; // no effect transaction follows for the others
    await recordDeliveries(tx, runtime.worker, runtime.logId, deliveries);
    return claim;
  };
  // The effect transaction that follows waits for the disk, and for this one with it. Rows are new, so a crash of the
  // server leaves nothing of a lost claim, and whoever holds it in memory sees that (ClaimLost).
  return withTx(runtime.db, { worker: runtime.worker }, work, { byIndex: true, lazyCommit: true });
}

type Inserted = Map<string, { state: InboxState; reason: string | null }>;

/** One statement for the whole batch; whoever comes second under an identity inserts nothing. */
async function insertNew(tx: Tx, runtime: InboxRuntime, consumer: LogicalConsumer, arrivals: Arrival[]): Promise<Inserted> {
  const { leaseMs = leaseMsDefault } = runtime;
  const rows = await tx.sql`
    with input as materialized (
      select *
      from unnest(
        ${arrivals.map((arrival) => arrival.inboxId)}::uuid[],
        ${arrivals.map(({ envelope }) => envelope.eventId)}::uuid[],
        ${arrivals.map(({ envelope }) => envelope.tenantGroupId)}::uuid[],
        ${arrivals.map(({ envelope }) => envelope.clinicId)}::uuid[],
        ${arrivals.map(({ envelope }) => envelope.commandId)}::uuid[],
        ${arrivals.map(({ envelope }) => envelope.type)}::text[],
        ${arrivals.map(({ envelope }) => envelope.schemaVersion)}::int4[],
        ${arrivals.map(({ envelope }) => envelope.aggregateType)}::text[],
        ${arrivals.map(({ envelope }) => envelope.aggregateId)}::uuid[],
        ${arrivals.map(({ envelope }) => envelope.aggregateSeq)}::int8[],
        ${arrivals.map((arrival) => arrival.digest)}::text[],
        ${arrivals.map((arrival) => arrival.digestKeyId)}::text[],
        ${arrivals.map(({ record }) => record.position.topic)}::text[],
        ${arrivals.map(({ record }) => record.position.partition)}::int4[],
        ${arrivals.map(({ record }) => record.position.offset)}::int8[],
        ${arrivals.map((arrival) => arrival.refusal)}::text[]
      ) as i (id, event_id, tenant_group_id, clinic_id, command_id, event_type, schema_version, aggregate_type, aggregate_id, aggregate_seq,
        content_digest, digest_key_id, topic, partition, first_offset, refusal)
    ),
    judged as materialized ( -- else the look for a blocker runs once for each column that uses it
      select i.*,
        case when i.refusal is null and ${consumer.order === "ordered"}::boolean then (
          select earlier.id
          from inbox earlier
          where earlier.consumer = ${consumer.id}
            and earlier.aggregate_type = i.aggregate_type
            and earlier.aggregate_id = i.aggregate_id
            and earlier.aggregate_seq < i.aggregate_seq
            and earlier.state <> 'PROCESSED'
            and not exists (${passedOver(tx)})
          order by earlier.aggregate_seq
          limit 1) end as blocker
      from input i
    )
    insert into inbox (id, tenant_group_id, clinic_id, consumer, event_id, command_id, event_type, schema_version, aggregate_type, aggregate_id,
      aggregate_seq, content_digest, digest_key_id, log_id, topic, partition, first_offset, last_partition, last_offset, attempts_max,
      state, attempts, fence, lease_owner, lease_until, reason_code, blocked_by, quarantined_at)
    select id, tenant_group_id, clinic_id, ${consumer.id}, event_id, command_id, event_type, schema_version, aggregate_type, aggregate_id,
      aggregate_seq, content_digest, digest_key_id, ${runtime.logId}, topic, partition, first_offset, partition, first_offset,
      ${consumer.attemptsMax ?? attemptsMaxDefault}::int4,
      case when refusal is not null then 'QUARANTINED' when blocker is not null then 'RETRYABLE' else 'PROCESSING' end,
      case when refusal is null and blocker is null then 1 else 0 end,
      case when refusal is null and blocker is null then 1 else 0 end,
      case when refusal is null and blocker is null then ${runtime.worker} end,
      case when refusal is null and blocker is null then clock_timestamp() + ${leaseMs} * interval '1 millisecond' end,
      coalesce(refusal, case when blocker is not null then 'BLOCKED_BY' end),
      blocker,
      case when refusal is not null then clock_timestamp() end
    from judged
    order by id
    on conflict (consumer, event_id) do nothing
    returning id, state, reason_code`;
  return new Map(rows.map((row) => [row.id as string, { state: row.state as InboxState, reason: row.reason_code as string | null }]));
}

type KnownRow = {
  id: string;
  event_id: string;
  tenant_group_id: string;
  clinic_id: string;
  state: InboxState;
  fence: string;
  lease_owner: string | null;
  content_digest: string;
  digest_key_id: string;
  reason_code: string | null;
};

async function meetKnown(
  tx: Tx,
  runtime: InboxRuntime,
  consumer: LogicalConsumer,
  arrivals: Arrival[],
  isLastLook: boolean,
  claim: BatchClaim,
  deliveries: Delivery[],
): Promise<void> {
  const rows = await tx.sql<KnownRow[]>`
    select id, event_id, tenant_group_id, clinic_id, state, fence, lease_owner, content_digest, digest_key_id, reason_code
    from inbox
    where consumer = ${consumer.id}
      and event_id = any (${arrivals.map(({ envelope }) => envelope.eventId)}::uuid[])
    order by id
    for update`;
  const known = new Map(rows.map((row) => [row.event_id, row]));
  const conflicts: Rejection[] = [];
  const seenAgain: { row: KnownRow; arrival: Arrival }[] = [];
  for (const arrival of arrivals) {
    const row = known.get(arrival.envelope.eventId);
    if (!row) throw new Error("a row that stood in the way of an insert is gone"); // deleted in between: the batch is claimed again
    if (isOwnClaim(row, arrival, runtime)) {
      claim.claimed.push(toClaimed(arrival, consumer));
      continue;
    }
    const meeting = meetDelivery(row.state, isSameContent(runtime, row, arrival));
    if (meeting === "HELD" && !isLastLook) {
      claim.held.push(arrival);
      continue;
    }
    if (meeting === "CONFLICT") conflicts.push({ record: arrival.record, reason: "IDENTITY_CONFLICT" });
    else seenAgain.push({ row, arrival });
    countMeeting(meeting, claim);
    deliveries.push(arrivalOf(arrival, row.id, ...outcomeOf(meeting, row)));
  }
  await rememberLastPosition(tx, seenAgain);
  await quarantineConflicts(tx, runtime, consumer, conflicts, known);
}

/** The first COMMIT of this very claim went through and its answer was lost. */
const isOwnClaim = (row: KnownRow, arrival: Arrival, runtime: InboxRuntime) =>
  row.id === arrival.inboxId && row.state === "PROCESSING" && row.fence === "1" && row.lease_owner === runtime.worker;

/** Scope and keyed digest; compared under the key with which the row was made. */
function isSameContent(runtime: InboxRuntime, row: KnownRow, { envelope, record }: Arrival): boolean {
  return (
    row.tenant_group_id === envelope.tenantGroupId &&
    row.clinic_id === envelope.clinicId &&
    contentDigest(runtime.ring, record, row.digest_key_id).digest === row.content_digest
  );
}

function countMeeting(meeting: Meeting, claim: BatchClaim) {
  if (meeting === "DUPLICATE") claim.duplicates += 1;
  else if (meeting === "CONFLICT") claim.quarantined += 1;
  else claim.waiting += 1;
}

function outcomeOf(meeting: Meeting, row: KnownRow): [Delivery["outcome"], string | null] {
  if (meeting === "DUPLICATE") return ["DUPLICATE", null];
  if (meeting === "CONFLICT") return ["QUARANTINED", "IDENTITY_CONFLICT"];
  if (meeting === "QUARANTINED") return ["QUARANTINED", row.reason_code];
  return ["RETRYABLE", meeting === "HELD" ? "LIVE_LEASE" : row.reason_code];
}

/** The version stays: a redelivery changes nothing that an action was decided on. */
async function rememberLastPosition(tx: Tx, seen: { row: KnownRow; arrival: Arrival }[]): Promise<void> {
  if (seen.length === 0) return;
  await tx.sql`
    update inbox i
    set last_partition = s.partition, last_offset = s."offset"
    from unnest(
      ${seen.map(({ row }) => row.id)}::uuid[],
      ${seen.map(({ arrival }) => arrival.record.position.partition)}::int4[],
      ${seen.map(({ arrival }) => arrival.record.position.offset)}::int8[]
    ) as s (id, partition, "offset")
    where i.id = s.id`;
}

/** Nobody can say which of the two is true, so an unfinished row stops; a PROCESSED one keeps its effect, and the alert on rejections names the other. */
async function quarantineConflicts(
  tx: Tx,
  runtime: InboxRuntime,
  consumer: LogicalConsumer,
  conflicts: Rejection[],
  known: Map<string, KnownRow>,
) {
  if (conflicts.length === 0) return;
  await recordRejections(tx, runtime, consumer.id, conflicts);
  const ids = conflicts.flatMap(({ record }) => known.get(record.headers.ce_id ?? "")?.id ?? []);
  await tx.sql`
    update inbox
    set state = 'QUARANTINED', reason_code = 'IDENTITY_CONFLICT', quarantined_at = clock_timestamp(), fence = fence + 1, lease_owner = null,
        lease_until = null, next_attempt_at = null, blocked_by = null, version = version + 1, updated_at = clock_timestamp()
    where id = any (${ids}::uuid[])
      and state in ('PROCESSING', 'RETRYABLE')`;
}

const arrivalOf = (arrival: Arrival, inboxId: string, outcome: Delivery["outcome"], reason: string | null): Delivery => ({
  inboxId,
  attempt: null,
  fence: null,
  outcome,
  reason,
  partition: arrival.record.position.partition,
  offset: arrival.record.position.offset,
  durationMs: 0,
});

function toClaimed(arrival: Arrival, consumer: LogicalConsumer): ClaimedRow {
  if (!arrival.event) throw new Error("a refused event was claimed");
  const { partition, offset } = arrival.record.position;
  return {
    inboxId: arrival.inboxId,
    fence: "1",
    attempt: 1,
    attemptsMax: consumer.attemptsMax ?? attemptsMaxDefault,
    event: arrival.event,
    partition,
    offset,
  };
}
