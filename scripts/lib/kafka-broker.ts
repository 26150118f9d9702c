import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Kafka, logLevel } from "kafkajs";
import { freePort } from "@/db/testing/embedded-postgres";
import { ROOT, run } from "@/scripts/lib/run";

const JARS = path.join(ROOT, ".data/kafka/lib");
const START_TIMEOUT_MS = 120_000; // for what hangs; after kill -9 a broker waits about 12 s for its own old session to end

export type Broker = {
  brokers: string /** what clients of the second listener are told to start with */;
  behind?: string;
  pid: number;
  stop: () => Promise<void>;
};

/** What is missing to run a broker from its jars, or undefined. */
export function missingForJars(): string | undefined {
  const java = spawnSync("java", ["-version"], { encoding: "utf8" });
  if (java.error) return "java is not installed";
  const version = Number(/version "(\d+)/.exec(java.stderr)?.[1] ?? 0);
  if (version < 17) return `java is version ${version}, Kafka needs 17`;
  if (!jarsThere() && spawnSync("mvn", ["-version"]).error) return "maven (mvn) is not installed";
  return undefined;
}

/**
 * Starts a one-node Apache Kafka 4 from its jars, which Maven brings once. It stays when this process ends, until `stop` or a signal to its pid.
 * @param options.dir data and log of this broker; nothing else may lie in it
 * @param options.proxyPort opens a second listener and tells its clients that it is at this port: whoever listens there sees everything they send
 * @param options.untilParentEnds ends the broker with this process, even when it is killed
 */
export async function startBroker(options: {
  dir: string;
  port?: number;
  proxyPort?: number;
  untilParentEnds?: boolean;
  log: (line: string) => void;
}): Promise<Broker> {
  await bringJars(options.log);
  const port = options.port ?? (await freePort());
  mkdirSync(options.dir, { recursive: true });
  const properties = path.join(options.dir, "server.properties");
  const second = options.proxyPort === undefined ? undefined : { port: await freePort(), proxyPort: options.proxyPort };
  writeFileSync(properties, settings(port, await controllerPort(properties), path.join(options.dir, "data"), second));
  const classpath = path.join(JARS, "*");
  if (!existsSync(path.join(options.dir, "data/meta.properties"))) {
    // 16 random bytes may begin with "-" in base64url, which the tool takes for an option unless it is joined with "="
    const id = `--cluster-id=${randomBytes(16).toString("base64url")}`;
    const formatted = await run("java", ["-cp", classpath, "kafka.tools.StorageTool", "format", "--standalone", id, "-c", properties]);
    if (formatted.code !== 0) throw new Error(`Kafka could not format its folder: ${formatted.output.trim()}`);
  }
  const output = path.join(options.dir, "broker.log");
  const file = openSync(output, "a");
  const log4j = `-Dlog4j2.configurationFile=${path.join(ROOT, "deploy/kafka/log4j2.xml")}`;
  const child = spawn("java", ["-Xmx512m", log4j, "-cp", classpath, "kafka.Kafka", properties], {
    detached: true,
    stdio: ["ignore", file, file],
  });
  let ended = false;
  child.once("close", () => {
    ended = true;
  });
  child.unref();
  if (options.untilParentEnds && child.pid) guardParent(child.pid);
  const brokers = `127.0.0.1:${port}`;
  if (!(await waitForCluster(brokers, () => ended))) {
    child.kill("SIGKILL");
    throw new Error(`Kafka did not start:\n${readFileSync(output, "utf8").trim().split("\n").slice(-8).join("\n")}`);
  }
  return { brokers, behind: second && `127.0.0.1:${second.port}`, pid: child.pid ?? 0, stop: () => stopBroker(child.pid ?? 0) };
}

/** A child that waits for this process to be gone (its pipe closes) and then ends the broker. */
function guardParent(pid: number): void {
  const guard = spawn("sh", ["-c", 'cat >/dev/null; kill "$1" 2>/dev/null', "sh", String(pid)], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  guard.unref();
  (guard.stdin as unknown as { unref?: () => void }).unref?.();
}

/** SIGTERM, and SIGKILL after 15 s. */
export async function stopBroker(pid: number): Promise<void> {
  const alive = () => {
    try {
      process.kill(pid, 0);
      return !existsSync(`/proc/${pid}/stat`) || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
    } catch {
      return false;
    }
  };
  if (!alive()) return;
  process.kill(pid, "SIGTERM");
  for (let i = 0; i < 150 && alive(); i++) await new Promise((resolve) => setTimeout(resolve, 100));
  if (alive()) process.kill(pid, "SIGKILL");
}

/** Whether a cluster answers at `brokers` (not only its port), tried until the time is over or `givenUp` says so. */
export async function waitForCluster(brokers: string, givenUp: () => boolean, timeoutMs = START_TIMEOUT_MS): Promise<boolean> {
  const end = Date.now() + timeoutMs;
  const kafka = new Kafka({
    clientId: "kafka-up",
    brokers: brokers.split(","),
    logLevel: logLevel.NOTHING,
    retry: { retries: 0 },
    connectionTimeout: 2_000,
  });
  while (Date.now() < end && !givenUp()) {
    const admin = kafka.admin();
    try {
      await admin.connect();
      if ((await admin.describeCluster()).brokers.length > 0) {
        await admin.fetchOffsets({ groupId: "kafka-up", topics: [] }); // a new broker is up before its group coordinator is
        return true;
      }
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 250)); // not up yet
    } finally {
      await admin.disconnect().catch(() => {});
    }
  }
  return false;
}

const jarsThere = () => existsSync(path.join(JARS, ".complete"));

async function bringJars(log: (line: string) => void): Promise<void> {
  if (jarsThere()) return;
  log("bringing Kafka's jars with Maven (43 MB, once)");
  rmSync(JARS, { recursive: true, force: true });
  const pom = path.join(ROOT, "deploy/kafka/pom.xml");
  const args = ["-q", "-B", "-f", pom, "dependency:copy-dependencies", `-DoutputDirectory=${JARS}`, "-DincludeScope=runtime"];
  const brought = await run("mvn", args);
  if (brought.code !== 0 || !readdirSync(JARS).some((name) => name.startsWith("kafka_")))
    throw new Error(`Maven could not bring Kafka:\n${brought.output.trim()}`);
  writeFileSync(path.join(JARS, ".complete"), "");
}

/** The quorum of a formatted folder knows its one voter by this port. */
async function controllerPort(properties: string): Promise<number> {
  const before = existsSync(properties) ? /bootstrap\.servers=127\.0\.0\.1:(\d+)/.exec(readFileSync(properties, "utf8"))?.[1] : undefined;
  return before ? Number(before) : freePort();
}

function settings(port: number, controller: number, data: string, second?: { port: number; proxyPort: number }): string {
  const through = (at: number | undefined) => (at === undefined ? "" : `,PROXIED://127.0.0.1:${at}`);
  return [
    "process.roles=broker,controller",
    "node.id=1",
    `controller.quorum.bootstrap.servers=127.0.0.1:${controller}`,
    `listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controller}${through(second?.port)}`,
    `advertised.listeners=PLAINTEXT://127.0.0.1:${port}${through(second?.proxyPort)}`,
    "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,PROXIED:PLAINTEXT",
    "inter.broker.listener.name=PLAINTEXT",
    "controller.listener.names=CONTROLLER",
    `log.dirs=${data}`,
    "offsets.topic.replication.factor=1",
    "offsets.topic.num.partitions=1",
    "transaction.state.log.replication.factor=1",
    "transaction.state.log.min.isr=1",
    "group.initial.rebalance.delay.ms=0",
    "auto.create.topics.enable=false",
    "",
  ].join("\n");
}
