import { type DigestRing, keyedDigest } from "@/server/canonical-hash";
import type { LogRecord } from "./port";

/** Headers that say what the event is. Not among them: traceparent, which a relay may lose, and anything about where the record lies. */
const identifying = [
  "ce_id",
  "ce_type",
  "ce_time",
  "ce_subject",
  "ce_dataschema",
  "ce_partitionkey",
  "ce_aggregateseq",
  "ce_tenantgroupid",
  "ce_clinicid",
  "ce_commandid",
];

/**
 * Keyed digest of an event's content: the same for a copy that the relay published again at another offset, another for anything else.
 * `keyId`: the key of the stored digest to compare with; the active one otherwise.
 */
export function contentDigest(ring: DigestRing, record: Pick<LogRecord, "headers" | "value">, keyId?: string) {
  return keyedDigest(ring, "event:v1", [...identifying.map((name) => record.headers[name] ?? null), record.value], keyId);
}
