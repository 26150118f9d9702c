import type { Tx } from "@/db/client";
import { contentDigest } from "@/server/domain/event-log/content-digest";
import type { Rejection } from "./sort-arrivals";
import type { InboxRuntime } from "./types";

/** Position, keyed digest and reason of records that can have no row of their own; an alert reads the table. Delivered again, they are there already. */
export async function recordRejections(tx: Tx, runtime: InboxRuntime, consumer: string, rejections: Rejection[]): Promise<void> {
  if (rejections.length === 0) return;
  await tx.sql`
    insert into inbox_rejections (consumer, log_id, topic, partition, "offset", reason_code, content_digest)
    select ${consumer}, log_id, topic, partition, "offset", reason, digest
    from unnest(
      ${rejections.map(({ record }) => record.position.logId)}::text[],
      ${rejections.map(({ record }) => record.position.topic)}::text[],
      ${rejections.map(({ record }) => record.position.partition)}::int4[],
      ${rejections.map(({ record }) => record.position.offset)}::int8[],
      ${rejections.map(({ reason }) => reason)}::text[],
      ${rejections.map(({ record }) => contentDigest(runtime.ring, record).digest)}::text[]
    ) as r (log_id, topic, partition, "offset", reason, digest)
    on conflict do nothing`;
}
