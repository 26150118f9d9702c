import type { Db } from "@/db/client";
import type { EventLog } from "@/server/domain/event-log/port";
import { openPostgresLog, preparePostgresLog } from "./postgres";

export type EventLogChoice = { EVENT_LOG: "postgres" | "kafka"; KAFKA_BROKERS: string[]; CONSUMER_POLL_MS?: number };

/** The log that the configuration names. kafkajs is loaded only when it is Kafka. `db`: where the embedded log lies. */
export async function openEventLog(choice: EventLogChoice, db: Db): Promise<EventLog> {
  if (choice.EVENT_LOG === "postgres") return openPostgresLog(db, { pollMs: choice.CONSUMER_POLL_MS });
  const { openKafkaLog } = await import("./kafka");
  return openKafkaLog(choice.KAFKA_BROKERS);
}

/** Topics and partitions as the product needs them, or LogError(TOPIC_UNFIT). Safe at every start; needs the worker role on the embedded log. */
export async function prepareEventLog(choice: EventLogChoice, db: Db): Promise<void> {
  if (choice.EVENT_LOG === "postgres") return preparePostgresLog(db);
  const { prepareKafkaLog } = await import("./kafka");
  return prepareKafkaLog(choice.KAFKA_BROKERS);
}
