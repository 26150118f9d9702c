import { kafkaDown, kafkaUp } from "@/scripts/lib/kafka-up";

/** npm run kafka:up · kafka:down. Down stops what up started, and nothing else. */
try {
  if (process.argv[2] === "up") await up();
  else if (process.argv[2] === "down") await down();
  else throw new Error("say up or down: npm run kafka:up, npm run kafka:down");
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

async function up(): Promise<void> {
  const { brokers, how } = await kafkaUp(console.log);
  console.log(`Kafka at ${brokers}: ${how}\nuse it with: EVENT_LOG=kafka KAFKA_BROKERS=${brokers}`);
}

async function down(): Promise<void> {
  const stopped = await kafkaDown();
  console.log(stopped ? "Kafka is stopped; its data stay in .data/kafka" : "kafka:up started nothing here: nothing to stop");
}
