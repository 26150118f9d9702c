import { type Attributes, SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { spanContextOf, tracer } from "@/server/tracing";
import type { ClaimedRow, InboxRuntime, LogicalConsumer } from "./types";

/**
 * Runs an attempt in a span of kind CONSUMER, the root of a trace of its own that links to the traces of the commands behind its events. A link and no
 * parent, whichever way the event came: a retry may come hours and a replay months after the command, and neither is a part of its request.
 * Attributes are identities and codes of the delivery; no payload, no patient, no text of an error.
 * @param outcomeOf how the attempt ended, for the span
 */
export function inConsumerSpan<T>(
  runtime: InboxRuntime,
  consumer: LogicalConsumer,
  rows: readonly ClaimedRow[],
  attempt: () => Promise<T>,
  outcomeOf: (end: T) => string,
): Promise<T> {
  const links = rows.flatMap((row) => {
    const linked = spanContextOf(row.event.traceparent);
    return linked ? [{ context: linked, attributes: attributesOf(row) }] : [];
  });
  const [only] = rows;
  const attributes: Attributes = {
    "messaging.operation.type": "process",
    "messaging.consumer.group.name": consumer.id,
    "messaging.batch.message_count": rows.length,
    "appointments.replay": runtime.replay !== undefined,
    ...(only && rows.length === 1 ? { ...attributesOf(only), "appointments.attempt": only.attempt } : {}),
  };
  return tracer().startActiveSpan(`process ${consumer.id}`, { root: true, kind: SpanKind.CONSUMER, links, attributes }, async (span) => {
    try {
      const end = await attempt();
      span.setAttribute("appointments.outcome", outcomeOf(end));
      return end;
    } catch (error) {
      // the text of an error may hold what the handler worked on: its kind is enough
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : "unknown" });
      throw error;
    } finally {
      span.end();
    }
  });
}

const attributesOf = ({ event, partition, offset }: ClaimedRow): Attributes => ({
  "messaging.message.id": event.eventId,
  "messaging.destination.partition.id": String(partition),
  "messaging.kafka.offset": offset,
});
