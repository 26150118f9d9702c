import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { add, type Counts, countVitest, lastLine } from "@/scripts/lib/counts";
import { missingForJars, startBroker } from "@/scripts/lib/kafka-broker";
import { bin, ROOT, run } from "@/scripts/lib/run";

/**
 * npm run test:kafka: starts a Kafka of its own (or uses KAFKA_BROKERS), runs the tests that need one and the whole flow of the demo's smoke run
 * over it, stops it. Ends with the line "N passed, N failed".
 */
const REPORT = path.join(ROOT, ".data/reports/kafka.json");

let total: Counts = { passed: 0, failed: 0, skipped: 0 };
try {
  const { brokers, stop } = await kafka();
  try {
    total = add(await adapterTests(brokers), await wholeFlow(brokers));
  } finally {
    await stop();
  }
} catch (error) {
  console.error((error as Error).message);
  total.failed += 1;
}
process.exitCode = total.failed > 0 ? 1 : 0;
console.log(lastLine(total));

async function kafka(): Promise<{ brokers: string; stop: () => Promise<void> }> {
  if (process.env.KAFKA_BROKERS) return { brokers: process.env.KAFKA_BROKERS, stop: async () => {} };
  const missing = missingForJars();
  if (missing) throw new Error(`no Kafka for the tests: ${missing}. Install Java 17 and Maven, or name a cluster in KAFKA_BROKERS.`);
  mkdirSync(path.join(ROOT, ".data"), { recursive: true });
  const dir = mkdtempSync(path.join(ROOT, ".data/kafka-test-"));
  const broker = await startBroker({ dir, untilParentEnds: true, log: console.log });
  console.log(`Kafka runs at ${broker.brokers}`);
  return {
    brokers: broker.brokers,
    stop: async () => {
      await broker.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function adapterTests(brokers: string): Promise<Counts> {
  mkdirSync(path.dirname(REPORT), { recursive: true });
  rmSync(REPORT, { force: true });
  const args = ["run", "--project", "kafka", "--reporter=default", "--reporter=json", `--outputFile.json=${REPORT}`];
  const { code } = await run(bin("vitest"), args, { show: true, env: { KAFKA_BROKERS: brokers, KAFKAJS_NO_PARTITIONER_WARNING: "1" } });
  return countVitest(REPORT, code);
}

/** One command over HTTP, the relay, Kafka, both consumers and the notification, by the built processes. */
async function wholeFlow(brokers: string): Promise<Counts> {
  const { code } = await run(bin("tsx"), ["scripts/demo.ts", "--smoke", "--log", "kafka"], { show: true, env: { KAFKA_BROKERS: brokers } });
  return code === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
}
