import type { KafkaMessage } from "kafkajs";
import type { LogRecord } from "@/server/domain/event-log/port";

/** A null key, value or header reads as "": such a record has no readable envelope, and the inbox says so. */
export function fromKafka(message: KafkaMessage, topic: string, partition: number, logId: string): LogRecord {
  const headers = Object.entries(message.headers ?? {}).map(([name, value]) => [
    name,
    String(Array.isArray(value) ? value[0] : (value ?? "")),
  ]);
  return {
    key: message.key?.toString("utf8") ?? "",
    headers: Object.fromEntries(headers),
    value: message.value?.toString("utf8") ?? "",
    position: { logId, topic, partition, offset: message.offset },
    appendedAt: new Date(Number(message.timestamp)),
  };
}
