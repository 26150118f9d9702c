import { kafkaDown, kafkaUp } from "@/scripts/lib/kafka-up";

export type LogChoice = { env: Record<string, string>; stop: () => Promise<void> };

/** The variables that choose the event log, and how to stop what had to be started for it. */
export async function chooseLog(log: "postgres" | "kafka", say: (line: string) => void): Promise<LogChoice> {
  if (log === "postgres") return { env: { EVENT_LOG: "postgres" }, stop: async () => {} };
  const kafka = await kafkaUp(say);
  say(`Kafka at ${kafka.brokers}: ${kafka.how}`);
  return {
    env: { EVENT_LOG: "kafka", KAFKA_BROKERS: kafka.brokers },
    stop: async () => {
      if (kafka.startedNow) await kafkaDown();
    },
  };
}
