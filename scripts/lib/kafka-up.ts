import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { missingForJars, startBroker, stopBroker, waitForCluster } from "@/scripts/lib/kafka-broker";
import { ROOT, run } from "@/scripts/lib/run";
import { scriptEnv } from "@/scripts/lib/script-env";

const DIR = path.join(ROOT, ".data/kafka");
const STATE = path.join(DIR, "started.json");
const COMPOSE = ["compose", "-f", path.join(ROOT, "deploy/compose.yaml")];

type Started = { by: "docker" } | { by: "jars"; pid: number };
export type KafkaUp = { brokers: string; how: string; startedNow: boolean };

/**
 * A Kafka for this machine, by the first way there is: the cluster that KAFKA_BROKERS names, the service of deploy/compose.yaml when a Docker
 * engine answers, or the broker's jars with Java 17.
 * @throws Error that names the three ways; EnvError when KAFKA_PORT is no port
 */
export async function kafkaUp(log: (line: string) => void, port = scriptEnv.kafka().KAFKA_PORT): Promise<KafkaUp> {
  const given = process.env.KAFKA_BROKERS;
  if (given) {
    if (!(await waitForCluster(given, () => false, 10_000))) throw new Error(`KAFKA_BROKERS is ${given}, and no cluster answers there`);
    return { brokers: given, how: "the cluster of KAFKA_BROKERS", startedNow: false };
  }
  const brokers = `127.0.0.1:${port}`;
  if (existsSync(STATE) && (await waitForCluster(brokers, () => false, 2_000)))
    return { brokers, how: "already running", startedNow: false };
  if (spawnSync("docker", ["info"], { timeout: 10_000 }).status === 0) return inDocker(brokers, port);
  const missing = missingForJars();
  if (missing)
    throw new Error(
      `no way to run Kafka here: ${missing}, and no Docker engine answers. One of three will do:\n` +
        "  1. KAFKA_BROKERS=host:port names a cluster that is there\n" +
        "  2. a running Docker engine (docker info answers)\n" +
        "  3. Java 17 or later and Maven",
    );
  const broker = await startBroker({ dir: path.join(DIR, "node"), port, log });
  remember({ by: "jars", pid: broker.pid });
  return { brokers, how: `running as process ${broker.pid}`, startedNow: true };
}

/** Stops what kafkaUp started, and nothing else; false when there is nothing. Its data stay. */
export async function kafkaDown(): Promise<boolean> {
  if (!existsSync(STATE)) return false;
  const started = JSON.parse(readFileSync(STATE, "utf8")) as Started;
  if (started.by === "docker") await run("docker", [...COMPOSE, "stop", "kafka"], { env: { POSTGRES_PASSWORD: "unused" } });
  else if (isOurBroker(started.pid)) await stopBroker(started.pid);
  rmSync(STATE);
  return true;
}

async function inDocker(brokers: string, port: number): Promise<KafkaUp> {
  const started = await run("docker", [...COMPOSE, "up", "-d", "kafka"], {
    env: { POSTGRES_PASSWORD: "unused", KAFKA_PORT: String(port) },
  });
  if (started.code !== 0) throw new Error(`docker compose could not start Kafka:\n${started.output}`);
  remember({ by: "docker" });
  if (!(await waitForCluster(brokers, () => false))) throw new Error("the Kafka container does not answer; see docker compose logs kafka");
  return { brokers, how: "running in Docker", startedNow: true };
}

function remember(started: Started): void {
  mkdirSync(DIR, { recursive: true });
  writeFileSync(STATE, `${JSON.stringify(started)}\n`);
}

/** The pid may by now belong to another process. */
function isOurBroker(pid: number): boolean {
  const file = `/proc/${pid}/cmdline`;
  if (!existsSync("/proc/self/cmdline")) return true;
  return existsSync(file) && readFileSync(file, "utf8").includes(path.join(DIR, "node"));
}
