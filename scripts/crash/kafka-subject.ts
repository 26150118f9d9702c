// The process whose conversation with Kafka is cut: relays and consumes what waits, through the proxy. Reports one line of JSON.
import { openDb } from "@/db/client";
import { openKafkaLog } from "@/server/event-log/kafka";
import type { KafkaJob, KafkaReport } from "./kafka-sweep";
import { sessionTimeoutMs, workOff } from "./kafka-work";

const job = await new Promise<KafkaJob>((resolve) => process.once("message", resolve as (message: unknown) => void));
const report: KafkaReport = { outcome: "done", uncaught: [] };
for (const event of ["uncaughtException", "unhandledRejection"])
  process.on(event, (error) => report.uncaught.push(String(error).slice(0, 200)));

const log = openKafkaLog([job.broker], { sessionTimeoutMs });
try {
  await workOff(openDb(job.workerUrl, { max: 4 }), log, job.deadlineMs);
} catch (error) {
  const { code, message } = error as { code?: string; message: string };
  report.outcome = code ?? message;
}
await log.close();
process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0));
