import type { Row } from "postgres";
import type { Tx } from "@/db/client";
import { type DigestRing, keyedDigest } from "@/server/canonical-hash";
import type { InboxState } from "@/server/domain/inbox/states";
import { isOrdered, isStoppedOrDue, unfinishedBefore } from "@/server/domain/inbox/unfinished-before";
import type { OffsetRange, PartitionRange, ReplaySelection } from "./types";

/** One row of the inbox as a manifest binds it. */
export type ManifestRow = {
  inboxId: string;
  eventId: string;
  scope: string;
  consumer: string;
  state: InboxState;
  version: string;
  isStoppedOrDue: boolean;
  isBehind: boolean;
  logId: string;
  topic: string;
  partition: number;
  offset: string;
  receivedAt: string;
};
export type Selected = { rows: ManifestRow[]; matching: number; heldElsewhere: number };

/**
 * The rows that a selection meets, in the order of the log, so that an earlier event of an appointment is tried first. A row that is asked for by
 * itself comes in whatever state; reason and range take what may run and is in no other open replay. Row-level security keeps other clinics out: a
 * range of a partition always holds their records too.
 */
export async function selectRows(tx: Tx, clinicId: string, logId: string, selection: ReplaySelection): Promise<Selected> {
  const isRow = selection.kind === "row";
  const limit = isRow ? 1 : selection.recordsMax;
  const rows = await tx.sql`
    with asked as materialized (
      select i.id, i.partition, i.first_offset, i.aggregate_seq, exists (select 1 from replay_items x where x.inbox_id = i.id and x.is_open) as is_held
      from inbox i
      where i.clinic_id = ${clinicId} and ${isRow ? tx.sql`i.id = ${selection.inboxId}` : mayRunAnd(tx, logId, selection)}
    ),
    free as materialized (
      select * from asked where ${isRow}::boolean or not is_held
    ),
    numbers as (
      select (select count(*) from free)::int4 as matching, (select count(*) from asked where is_held)::int4 as held
    )
    select i.id, i.event_id, g.ref || ' / ' || c.ref as scope, i.consumer, i.state, i.version, i.log_id, i.topic, i.last_partition, i.last_offset,
      i.received_at, n.matching, n.held,
      ${isStoppedOrDue(tx)} as is_stopped_or_due, ${isOrdered(tx)} and exists (select 1 ${unfinishedBefore(tx)}) as is_behind
    from numbers n
    left join (select * from free order by partition, first_offset, aggregate_seq limit ${limit}) f on true
    left join inbox i on i.id = f.id
    left join clinics c on c.id = i.clinic_id
    left join tenant_groups g on g.id = i.tenant_group_id
    order by f.partition, f.first_offset, f.aggregate_seq`;
  const found = rows.filter((row) => row.id !== null);
  return { rows: found.map(toManifestRow), matching: rows[0]?.matching ?? 0, heldElsewhere: rows[0]?.held ?? 0 };
}

/** Stopped or due, of this consumer and log, and of the reason or in the ranges. Written apart for each kind, so that each goes by an index of its own. */
function mayRunAnd(tx: Tx, logId: string, selection: Exclude<ReplaySelection, { kind: "row" }>) {
  const ready = tx.sql`
    i.consumer = ${selection.consumer}
      and i.log_id = ${logId}
      and ${isStoppedOrDue(tx)}`;
  if (selection.kind === "group") return tx.sql`${ready} and i.reason_code = ${selection.reasonCode}`;
  const { ranges } = selection;
  return tx.sql`${ready}
      and exists (
        select 1
        from unnest(
          ${ranges.map((range) => range.partition)}::int4[], ${ranges.map((range) => range.first)}::int8[], ${ranges.map((range) => range.last)}::int8[]
        ) r (partition, first, last)
        where r.partition = i.last_partition and i.last_offset between r.first and r.last)`;
}

const toManifestRow = (row: Row): ManifestRow => ({
  inboxId: row.id,
  eventId: row.event_id,
  scope: row.scope,
  consumer: row.consumer,
  state: row.state,
  version: row.version,
  isStoppedOrDue: row.is_stopped_or_due,
  isBehind: row.is_behind,
  logId: row.log_id,
  topic: row.topic,
  partition: row.last_partition,
  offset: row.last_offset,
  receivedAt: row.received_at,
});

/** Keyed digest of what was asked for, all fields framed: the same request id with another one is another request. */
export function selectionDigest(ring: DigestRing, clinicId: string, selection: ReplaySelection, keyId?: string): string {
  const more =
    selection.kind === "row"
      ? [selection.inboxId, selection.rowVersion]
      : selection.kind === "group"
        ? [selection.reasonCode, String(selection.recordsMax)]
        : [String(selection.recordsMax), ...selection.ranges.flatMap(({ partition, first, last }) => [String(partition), first, last])];
  return keyedDigest(ring, "replay-selection:v1", [clinicId, selection.kind, selection.consumer, ...more], keyId).digest;
}

export type ManifestParts = {
  requestId: string;
  clinicId: string;
  consumer: string;
  logId: string;
  topic: string;
  ranges: readonly PartitionRange[];
  items: readonly { inboxId: string; version: string; partition: number; offset: string }[];
};

/** Keyed digest of a manifest: exact rows, their versions and positions, and the log's end. An approval is bound to it. */
export function manifestDigestOf(ring: DigestRing, parts: ManifestParts, keyId?: string): { digest: string; keyId: string } {
  const { requestId, clinicId, consumer, logId, topic, ranges, items } = parts;
  const fields = [
    ...[requestId, clinicId, consumer, logId, topic, String(ranges.length)],
    ...ranges.flatMap(({ partition, first, last, logEnd, records }) => [String(partition), first, last, logEnd, String(records)]),
    ...items.flatMap(({ inboxId, version, partition, offset }) => [inboxId, version, String(partition), offset]),
  ];
  return keyedDigest(ring, "replay-manifest:v1", fields, keyId);
}

type Marks = readonly { partition: number; high: string }[];

/** First and last offset of each partition, as asked for or as the rows lie, with the log's end beside it. */
export function rangesOf(
  rows: readonly Pick<ManifestRow, "partition" | "offset">[],
  marks: Marks,
  asked: readonly OffsetRange[] = [],
): PartitionRange[] {
  const partitions = [...new Set([...asked.map(({ partition }) => partition), ...rows.map(({ partition }) => partition)])].sort(
    (a, b) => a - b,
  );
  return partitions.map((partition) => {
    const offsets = rows.filter((row) => row.partition === partition).map((row) => BigInt(row.offset));
    const whole = asked.find((range) => range.partition === partition);
    const sorted = offsets.sort((a, b) => (a < b ? -1 : 1));
    return {
      partition,
      first: whole?.first ?? String(sorted[0]),
      last: whole?.last ?? String(sorted.at(-1)),
      logEnd: marks.find((mark) => mark.partition === partition)?.high ?? null,
      records: offsets.length,
    };
  });
}

/** Offsets that the ranges cover, whether they hold a record of the manifest or not. */
export const offsetsSpanned = (ranges: readonly OffsetRange[]): bigint =>
  ranges.reduce((sum, { first, last }) => sum + BigInt(last) - BigInt(first) + 1n, 0n);

/** `p2 91402–91977, p5 120118`, as it stands in checks and in the audit. */
export const rangeText = (ranges: readonly OffsetRange[]): string =>
  ranges.map(({ partition, first, last }) => `p${partition} ${first === last ? first : `${first}–${last}`}`).join(", ");

/** How many of the rows, taken in their order, span no more offsets than one replay may. */
export function fitsInto(rows: readonly Pick<ManifestRow, "partition" | "offset">[], offsetsMax: number): number {
  const spans = new Map<number, { first: bigint; last: bigint }>();
  let total = 0n;
  for (const [index, { partition, offset }] of rows.entries()) {
    const at = BigInt(offset);
    const span = spans.get(partition);
    const next = span ? { first: at < span.first ? at : span.first, last: at > span.last ? at : span.last } : { first: at, last: at };
    total += next.last - next.first - (span ? span.last - span.first : -1n);
    if (total > BigInt(offsetsMax)) return index;
    spans.set(partition, next);
  }
  return rows.length;
}
