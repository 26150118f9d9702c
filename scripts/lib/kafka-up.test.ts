import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { kafkaDown, kafkaUp } from "@/scripts/lib/kafka-up";

// The rules of starting and stopping, with processes of the test in the place of brokers: npm run test:kafka has the real one.
const at = await vi.hoisted(async () => {
  const { mkdtempSync } = await import("node:fs");
  const { tmpdir } = await import("node:os");
  const root = mkdtempSync(`${tmpdir()}/kafka-up-test-`);
  const answers: string[] = []; // clusters that are there
  const ran: string[] = [];
  return { root, answers, ran, missing: undefined as string | undefined, pid: 0 };
});
vi.mock("@/scripts/lib/run", () => ({
  ROOT: at.root,
  run: async (command: string, args: string[]) => {
    at.ran.push([command, ...args.filter((arg) => !arg.includes("/"))].join(" "));
    return { code: 0, output: "", seconds: 0 };
  },
}));
vi.mock("@/scripts/lib/kafka-broker", async (original) => ({
  ...(await original<typeof import("@/scripts/lib/kafka-broker")>()),
  missingForJars: () => at.missing,
  waitForCluster: async (brokers: string) => at.answers.includes(brokers),
  startBroker: async ({ port }: { port: number }) => {
    at.answers.push(`127.0.0.1:${port}`);
    return { brokers: `127.0.0.1:${port}`, pid: at.pid, stop: async () => {} };
  },
}));

const state = path.join(at.root, ".data/kafka/started.json");
const node = path.join(at.root, ".data/kafka/node");
const children: ChildProcess[] = [];
const quiet = () => {};

beforeEach(() => {
  at.answers.length = 0;
  at.ran.length = 0;
  at.missing = undefined;
  vi.stubEnv("KAFKA_BROKERS", "");
  vi.stubEnv("PATH", at.root); // no docker
});
afterEach(() => {
  vi.unstubAllEnvs();
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(path.join(at.root, ".data"), { recursive: true, force: true });
  rmSync(path.join(at.root, "docker"), { force: true });
});
afterAll(() => rmSync(at.root, { recursive: true, force: true }));

/** A process that lives until somebody ends it; the broker of this folder names it on its command line. */
function process_(...words: string[]): ChildProcess {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)", "--", ...words], { stdio: "ignore" });
  children.push(child);
  return child;
}
const ended = (child: ChildProcess) => new Promise<NodeJS.Signals | null>((resolve) => child.once("exit", (_, signal) => resolve(signal)));
function remember(started: unknown): void {
  mkdirSync(path.dirname(state), { recursive: true });
  writeFileSync(state, JSON.stringify(started));
}
const dockerAnswers = () => writeFileSync(path.join(at.root, "docker"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });

describe("kafka:up", () => {
  test("takes the cluster that KAFKA_BROKERS names and keeps no note of it: down does not touch what up did not start", async () => {
    dockerAnswers();
    vi.stubEnv("KAFKA_BROKERS", "kafka.example:9092");
    await expect(kafkaUp(quiet)).rejects.toThrow("KAFKA_BROKERS is kafka.example:9092, and no cluster answers there");
    at.answers.push("kafka.example:9092");
    expect(await kafkaUp(quiet)).toMatchObject({ brokers: "kafka.example:9092", startedNow: false });
    expect([existsSync(state), await kafkaDown(), at.ran]).toEqual([false, false, []]);
  });

  test("starts the service of the compose file when a Docker engine answers, and down stops that service only", async () => {
    dockerAnswers();
    at.answers.push("127.0.0.1:9192");
    expect(await kafkaUp(quiet, 9192)).toMatchObject({ brokers: "127.0.0.1:9192", how: "running in Docker", startedNow: true });
    expect(await kafkaUp(quiet, 9192)).toMatchObject({ how: "already running", startedNow: false });
    expect(await kafkaDown()).toBe(true);
    expect(at.ran).toEqual(["docker compose -f up -d kafka", "docker compose -f stop kafka"]);
    expect(await kafkaDown()).toBe(false);
  });

  test("starts the jars without Docker, and goes on with what already runs", async () => {
    const broker = process_(node);
    at.pid = broker.pid ?? 0;
    expect(await kafkaUp(quiet, 9193)).toMatchObject({ how: `running as process ${at.pid}`, startedNow: true });
    expect(JSON.parse(readFileSync(state, "utf8"))).toEqual({ by: "jars", pid: at.pid });
    expect(await kafkaUp(quiet, 9193)).toMatchObject({ how: "already running", startedNow: false });
  });

  test("that finds no way names what is missing and all three ways", async () => {
    at.missing = "java is not installed";
    const message = await kafkaUp(quiet).catch((error: Error) => error.message);
    expect(message).toMatch(/^no way to run Kafka here: java is not installed, and no Docker engine answers\./);
    for (const way of ["KAFKA_BROKERS=", "Docker engine", "Java 17 or later and Maven"]) expect(message).toContain(way);
    expect(existsSync(state)).toBe(false);
  });
});

describe("kafka:down", () => {
  test("without a start before has nothing to stop", async () => {
    expect([await kafkaDown(), at.ran]).toEqual([false, []]);
  });

  test("ends the broker that up started", async () => {
    const broker = process_(node);
    const gone = ended(broker);
    await new Promise((resolve) => broker.once("spawn", resolve));
    remember({ by: "jars", pid: broker.pid });
    expect(await kafkaDown()).toBe(true);
    expect([await gone, existsSync(state)]).toEqual(["SIGTERM", false]);
  });

  test("leaves a process alone that has the broker's number by now, and forgets the broker", async () => {
    const other = process_("something else");
    await new Promise((resolve) => other.once("spawn", resolve));
    remember({ by: "jars", pid: other.pid });
    expect(await kafkaDown()).toBe(true);
    expect([other.exitCode, other.signalCode, existsSync(state)]).toEqual([null, null, false]);
    process.kill(other.pid ?? 0, 0); // throws when it is gone
  });
});
