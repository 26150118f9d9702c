import type { Tx } from "@/db/client";
import { countItems } from "./plan-chunk";
import { type ReplayRequest, requestColumns, toRequest } from "./read-request";
import { hasEnded } from "./states";
import type { PartitionOffset, ReplayCounts, ReplayOutcome } from "./types";

export type ReplayScope = { tenantGroupId: string; clinicIds: readonly string[] };

export type OffsetPair = { partition: number; before: string | null; after: string | null };
/** A request as STAFF read it: references, digests, offsets and counts. Person ids stay inside. */
export type ReplayJob = Omit<
  ReplayRequest,
  "tenantGroupId" | "approverId" | "secondApproverId" | "selectionDigest" | "offsetsBefore" | "offsetsAfter"
> & {
  clinicRef: string;
  zone: string;
  /** The receipt's numbers when the job has ended; before that, what is settled so far. */
  counts: ReplayCounts;
  settled: number;
  /** How often this replay ran the handler, and how often that had its effect. */
  handlerRuns: number;
  effects: number;
  /** Where the operating group stood, in the partitions of the manifest. */
  offsets: OffsetPair[];
  offsetsEqual: number;
  asOf: string;
};

/** Approved requests of the reader's clinics, newest first. */
export async function listReplayJobs(tx: Tx, scope: ReplayScope, limit: number): Promise<ReplayJob[]> {
  const rows = await tx.sql`
    select ${requestColumns(tx)}, c.ref as clinic_ref, c.zone, clock_timestamp() as as_of
    from replay_requests r
    join clinics c on c.id = r.clinic_id
    where r.tenant_group_id = ${scope.tenantGroupId} and r.clinic_id = any (${[...scope.clinicIds]}::uuid[]) and r.job_ref is not null
    order by r.approved_at desc
    limit ${limit}`;
  const jobs: ReplayJob[] = [];
  for (const row of rows) jobs.push(await toJob(tx, row));
  return jobs;
}

/** One request by its id, its RJ- or its MF- reference; null when it is not in the reader's clinics. */
export async function readReplayJob(tx: Tx, scope: ReplayScope, name: string): Promise<ReplayJob | null> {
  const [row] = await tx.sql`
    select ${requestColumns(tx)}, c.ref as clinic_ref, c.zone, clock_timestamp() as as_of
    from replay_requests r
    join clinics c on c.id = r.clinic_id
    where r.tenant_group_id = ${scope.tenantGroupId} and r.clinic_id = any (${[...scope.clinicIds]}::uuid[])
      and (r.request_id::text = ${name} or r.job_ref = ${name} or r.ref = ${name})`;
  return row ? toJob(tx, row) : null;
}

/** The delivery that had the effect before, of a DUPLICATE. */
type Earlier = "earlierAt" | "earlierAttempt" | "earlierPartition" | "earlierOffset";
export type ReplayOfRow = ReplayJob & { row: Pick<ReplayItemView, "outcome" | "reasonCode" | Earlier> };

/** The latest approved replay of one row of the inbox, with what became of this row. */
export async function readReplayOfRow(tx: Tx, scope: ReplayScope, inboxId: string): Promise<ReplayOfRow | null> {
  const [row] = await tx.sql`
    select r.request_id, i.position
    from replay_items i
    join replay_requests r on r.request_id = i.request_id
    where i.inbox_id = ${inboxId} and r.job_ref is not null and r.clinic_id = any (${[...scope.clinicIds]}::uuid[])
    order by r.approved_at desc
    limit 1`;
  const job = row && (await readReplayJob(tx, scope, row.request_id));
  const [item] = row ? await listReplayItems(tx, row.request_id, row.position - 1, 1) : [];
  if (!job || !item) return null;
  const { outcome, reasonCode, earlierAt, earlierAttempt, earlierPartition, earlierOffset } = item;
  return { ...job, row: { outcome, reasonCode, earlierAt, earlierAttempt, earlierPartition, earlierOffset } };
}

export type ReplayItemView = {
  position: number;
  inboxId: string;
  eventId: string;
  partition: number;
  offset: string;
  rowVersion: string;
  outcome: ReplayOutcome | null;
  reasonCode: string | null;
  settledAt: string | null;
  /** How often this replay ran the handler for it, and how often the event had its effect in all: never more than once. */
  attempts: number;
  successes: number;
  /** Of a DUPLICATE: the delivery that had the effect before, when, at which attempt and at which position of the log. */
  earlierAt: string | null;
  earlierAttempt: number | null;
  earlierPartition: number | null;
  earlierOffset: string | null;
};

/** The items of a manifest in their order, a page at a time: every identity that was covered, and what became of it. */
export async function listReplayItems(tx: Tx, requestId: string, after: number, limit: number): Promise<ReplayItemView[]> {
  const rows = await tx.sql<ReplayItemView[]>`
    select t.position, t.inbox_id as "inboxId", t.event_id as "eventId", t.partition, t."offset", t.row_version as "rowVersion", t.outcome,
      t.reason_code as "reasonCode", t.settled_at as "settledAt", ran.attempts, ran.successes,
      earlier.at as "earlierAt", earlier.attempt as "earlierAttempt", earlier.partition as "earlierPartition", earlier."offset" as "earlierOffset"
    from replay_items t
    cross join lateral (
      select count(*) filter (where d.replay_request_id = t.request_id and d.attempt is not null)::int as attempts,
        count(*) filter (where d.outcome = 'PROCESSED')::int as successes
      from inbox_deliveries d
      where d.inbox_id = t.inbox_id) ran
    left join lateral (
      select d.at, d.attempt, d.partition, d."offset"
      from inbox_deliveries d
      where t.outcome = 'DUPLICATE' and d.inbox_id = t.inbox_id and d.outcome = 'PROCESSED'
      order by d.at
      limit 1) earlier on true
    where t.request_id = ${requestId} and t.position > ${after}
    order by t.position
    limit ${limit}`;
  return [...rows];
}

async function toJob(tx: Tx, row: Parameters<typeof toRequest>[0]): Promise<ReplayJob> {
  const {
    tenantGroupId: _,
    approverId: __,
    secondApproverId: ___,
    selectionDigest: ____,
    offsetsBefore,
    offsetsAfter,
    ...request
  } = toRequest(row);
  const counts = request.receipt ?? (await countItems(tx, request.requestId));
  const { handlerRuns, effects } = await countRuns(tx, request.requestId);
  const offsets = pairsOf(request.ranges, offsetsBefore, offsetsAfter);
  return {
    ...request,
    clinicRef: row.clinic_ref,
    zone: row.zone,
    counts,
    settled: hasEnded(request.state) ? request.records : Object.values(counts).reduce((sum, count) => sum + count, 0),
    handlerRuns,
    effects,
    offsets,
    offsetsEqual: offsets.filter(({ before, after }) => before === after).length,
    asOf: row.as_of,
  };
}

/** Counted from the deliveries that name the request; an attempt that was fenced or whose runner died is a run without an effect. */
async function countRuns(tx: Tx, requestId: string): Promise<{ handlerRuns: number; effects: number }> {
  const [row] = await tx.sql<{ handlerRuns: number; effects: number }[]>`
    select count(*) filter (where d.attempt is not null)::int as "handlerRuns", count(*) filter (where d.outcome = 'PROCESSED')::int as effects
    from replay_items t
    join inbox_deliveries d on d.inbox_id = t.inbox_id and d.replay_request_id = t.request_id
    where t.request_id = ${requestId}`;
  return row ?? { handlerRuns: 0, effects: 0 };
}

function pairsOf(ranges: { partition: number }[], before: PartitionOffset[] | null, after: PartitionOffset[] | null): OffsetPair[] {
  const at = (offsets: PartitionOffset[] | null, partition: number) => offsets?.find((one) => one.partition === partition)?.offset ?? null;
  const partitions = [...new Set([...ranges, ...(before ?? []), ...(after ?? [])].map(({ partition }) => partition))].sort((a, b) => a - b);
  return partitions.map((partition) => ({ partition, before: at(before, partition), after: at(after, partition) }));
}
