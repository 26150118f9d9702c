import { canonicalJson } from "@/server/canonical-hash";
import { isUuid } from "@/server/ids";
import { type EventPayload, type EventType, findContract, recordKey } from "./contracts/registry";
import type { LogRecord, NewRecord } from "./port";

/** What an event is, apart from where it lies. */
export type Envelope = {
  eventId: string;
  type: string;
  schemaVersion: number;
  tenantGroupId: string;
  clinicId: string;
  commandId: string;
  aggregateType: string;
  aggregateId: string;
  /** Decimal; grows by one with each event of the aggregate. */
  aggregateSeq: string;
  /** ISO 8601 instant with microseconds. */
  occurredAt: string;
  traceparent?: string;
};
/** The topic of an event decides which payload it has; a handler names the one of the topics that it reads. */
export type PublishedEvent<P extends EventPayload = EventPayload> = Envelope & { type: EventType; payload: P };

/** INVALID_ENVELOPE names no identity or scope that could be stored; with the others the envelope is readable and only the content is not. */
export type EnvelopeFault = "INVALID_ENVELOPE" | "UNSUPPORTED_SCHEMA" | "INVALID_PAYLOAD" | "PARTITION_KEY_MISMATCH";
export type ReadEnvelope =
  | { ok: true; event: PublishedEvent }
  | { ok: false; reason: Exclude<EnvelopeFault, "INVALID_ENVELOPE">; envelope: Envelope }
  | { ok: false; reason: "INVALID_ENVELOPE"; envelope?: undefined };

const source = "/appointment-operations";

/**
 * The record of an event: CloudEvents 1.0 in Kafka's binary mode (`ce_` headers, content-type of the data itself). The extension attributes
 * (partitionkey, aggregateseq, tenantgroupid, clinicid, commandid) are lower-case letters and digits, as CloudEvents asks. The value is canonical
 * JSON, so that a copy published later has the same bytes and the same digest.
 */
export function toRecord(event: Envelope & { partitionKey: string; payload: unknown }): NewRecord {
  const headers: Record<string, string> = {
    ce_specversion: "1.0",
    ce_id: event.eventId,
    ce_source: source,
    ce_type: event.type,
    ce_time: event.occurredAt,
    ce_subject: `${event.aggregateType}/${event.aggregateId}`,
    ce_dataschema: `urn:appointment-operations:${event.type}:${event.schemaVersion}`,
    ce_partitionkey: event.partitionKey,
    ce_aggregateseq: event.aggregateSeq,
    ce_tenantgroupid: event.tenantGroupId,
    ce_clinicid: event.clinicId,
    ce_commandid: event.commandId,
    "content-type": "application/json",
  };
  if (event.traceparent) headers.traceparent = event.traceparent;
  return { key: event.partitionKey, headers, value: canonicalJson(event.payload) };
}

/** Reads a record of any log: the typed event, or the code of what is wrong with it. Never throws, whatever the bytes are. */
export function readEnvelope(record: Pick<LogRecord, "key" | "headers" | "value">): ReadEnvelope {
  const envelope = readHeaders(record.headers);
  if (!envelope) return { ok: false, reason: "INVALID_ENVELOPE" };
  const contract = findContract(envelope.type, envelope.schemaVersion);
  if (!contract || contract.aggregateType !== envelope.aggregateType) return { ok: false, reason: "UNSUPPORTED_SCHEMA", envelope };
  const key = recordKey(contract, envelope);
  if (record.key !== key || record.headers.ce_partitionkey !== key) return { ok: false, reason: "PARTITION_KEY_MISMATCH", envelope };
  const payload = contract.schema.safeParse(parseJson(record.value));
  if (!payload.success) return { ok: false, reason: "INVALID_PAYLOAD", envelope };
  return { ok: true, event: { ...envelope, type: envelope.type as EventType, payload: payload.data } };
}

const subject = /^([a-z-]{1,40})\/([0-9a-f-]{36})$/;
const dataSchema = /^urn:appointment-operations:([A-Za-z]{1,80}):([1-9]\d{0,4})$/;
const sequence = /^[1-9]\d{0,17}$/;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;

function readHeaders(headers: Record<string, string>): Envelope | undefined {
  const { ce_id: eventId = "", ce_tenantgroupid: tenantGroupId = "", ce_clinicid: clinicId = "", ce_commandid: commandId = "" } = headers;
  const { ce_type: type = "", ce_aggregateseq: aggregateSeq = "", ce_time: occurredAt = "", traceparent } = headers;
  if (headers.ce_specversion !== "1.0" || headers["content-type"] !== "application/json") return undefined;
  const [, aggregateType = "", aggregateId = ""] = subject.exec(headers.ce_subject ?? "") ?? [];
  const [, schemaType, schemaVersion] = dataSchema.exec(headers.ce_dataschema ?? "") ?? [];
  if (schemaType !== type || Number(schemaVersion) > 32_767) return undefined;
  if (!isUuid(eventId) || !isUuid(tenantGroupId) || !isUuid(clinicId) || !isUuid(commandId) || !isUuid(aggregateId)) return undefined;
  if (!sequence.test(aggregateSeq) || !instant.test(occurredAt)) return undefined;
  return {
    eventId,
    type,
    schemaVersion: Number(schemaVersion),
    tenantGroupId,
    clinicId,
    commandId,
    aggregateType,
    aggregateId,
    aggregateSeq,
    occurredAt,
    ...(traceparent ? { traceparent } : {}),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
