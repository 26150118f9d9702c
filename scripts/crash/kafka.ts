import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { createTemplateDatabase } from "@/db/testing/template-database";
import { missingForJars, startBroker } from "@/scripts/lib/kafka-broker";
import { ROOT } from "@/scripts/lib/run";
import { openKafkaLog, prepareKafkaLog } from "@/server/event-log/kafka";
import { bundleSubject } from "./bundle-subject";
import { startKafkaProxy } from "./kafka-cut-proxy";
import { sweepKafka } from "./kafka-sweep";
import { sessionTimeoutMs } from "./kafka-work";
import { openLane } from "./open-lane";

/** Kafka's crash points on a broker of its own, one line for each API key. @returns how many held and how many did not */
export async function crashKafka(superuserUrl: string, isAll: boolean): Promise<{ passed: number; failed: number }> {
  const counts = { passed: 0, failed: 0 };
  const missing = missingForJars();
  if (missing) {
    console.log(`FAIL Kafka's points were not run: ${missing}. Install Java 17 or later and Maven.`);
    return { passed: 0, failed: 1 };
  }
  const template = await createTemplateDatabase(superuserUrl);
  const lane = await openLane(superuserUrl, template, 9);
  mkdirSync(path.join(ROOT, ".data"), { recursive: true });
  const dir = mkdtempSync(path.join(ROOT, ".data/kafka-crash-"));
  process.once("exit", () => rmSync(dir, { recursive: true, force: true })); // also when the run fails or is interrupted
  let behind = "";
  const proxy = await startKafkaProxy(() => ({ host: "127.0.0.1", port: Number(behind.split(":")[1]) }));
  const broker = await startBroker({ dir, proxyPort: proxy.port, untilParentEnds: true, log: console.log });
  behind = broker.behind as string;
  const clean = openKafkaLog([broker.brokers], { sessionTimeoutMs });
  try {
    await prepareKafkaLog([broker.brokers]);
    const subject = await bundleSubject("kafka-subject");
    // clients begin at the proxy, and the listener behind it sends them there again
    const bench = { lane, proxy, behind: `127.0.0.1:${proxy.port}`, subject, clean };
    await sweepKafka(bench, isAll, ({ api, points, outcomes, violations }, seconds) => {
      const ok = points > 0 && violations.length === 0;
      counts[ok ? "passed" : "failed"] += 1;
      const ends = Object.entries(outcomes).map(([outcome, n]) => `${outcome} ${n}`);
      console.log(
        `${ok ? "ok  " : "FAIL"} Kafka ${api.padEnd(12)} ${String(points).padStart(4)} points, ${violations.length} violations, ${Math.round(seconds)} s (${ends.join(", ")})`,
      );
      for (const violation of violations.slice(0, 20)) console.log(`     ${violation}`);
    });
  } finally {
    await clean.close();
    proxy.close();
    await broker.stop();
  }
  return counts;
}
