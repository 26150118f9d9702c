import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { bootstrapDatabase, databaseUrl, type RoleUrls } from "@/db/bootstrap";
import { closeDb, type Db, openDb, withTx } from "@/db/client";
import { migrateDatabase } from "@/db/migrate";
import { freePort, type RunningPostgres, startPostgres } from "@/db/testing/embedded-postgres";
import { openTempFolder } from "@/db/testing/postgres-binaries";
import { WEB_SERVER, WORKERS } from "@/scripts/lib/build-product";
import { type Broker, startBroker } from "@/scripts/lib/kafka-broker";
import { ROOT } from "@/scripts/lib/run";
import { newSecrets } from "@/scripts/lib/secrets";
import { type DigestRing, parseDigestKeys } from "@/server/canonical-hash";
import { type ClinicFixture, createClinicFixture } from "@/server/domain/clinics/testing";
import type { EventLog } from "@/server/domain/event-log/port";
import { tokenCommands } from "@/server/domain/scope/actor";
import { tokenHash } from "@/server/domain/scope/find-token";
import { openEventLog } from "@/server/event-log/open-event-log";
import { newRef, newUuid } from "@/server/ids";
import { type Supervised, supervise } from "./supervised";

const readyMaxMs = 120_000;
export const leaseMs = 15_000; // the shortest that the product accepts
export const workerRoles = ["outbox-relay", "appointment-consumers", "notification-dispatch", "retry-scheduler"] as const;
/** A planning solver or a replay runner is added by the scenario that needs one. */
export type Role = "web" | "planning-solver" | "replay-runner" | (typeof workerRoles)[number];

/** The whole product as a deployment runs it: each role in a process of its own, relay, consumers and dispatcher twice. */
export type Stand = {
  log: "postgres" | "kafka";
  origin: string;
  token: string;
  fixture: ClinicFixture;
  urls: RoleUrls;
  /** The keys of its processes: what a manifest is digested with. */
  ring: DigestRing;
  superuser: Db;
  worker: Db;
  eventLog: EventLog;
  processes: Supervised[];
  of: (role: Role) => Supervised[];
  /** One more process of a role, e.g. one that will be stopped; it is not started again by itself after `end`. */
  add: (role: Role, env: Record<string, string | undefined>) => Supervised;
  /** Ends the server at once, as a crash of its machine would; what was committed is on disk. */
  stopPostgres: () => Promise<void>;
  startPostgres: () => Promise<void>;
  stopKafka: () => Promise<void>;
  startKafka: () => Promise<void>;
  nextVisit: () => number;
  close: () => Promise<void>;
};

/** Starts it on a PostgreSQL (and Kafka) of its own. @throws Error with what did not come up */
export async function startStand(log: "postgres" | "kafka"): Promise<Stand> {
  const base = mkdtempSync(path.join(openTempFolder(), "kill-"));
  chmodSync(base, 0o755); // as root the server runs as another user
  const remove = () => rmSync(base, { recursive: true, force: true });
  process.once("exit", remove); // also when the run is interrupted
  const closing: (() => Promise<unknown> | unknown)[] = [remove];
  const close = async () => {
    for (const step of closing.reverse()) await Promise.resolve(step()).catch(() => {});
  };
  try {
    const secrets = newSecrets();
    const data = { dir: path.join(base, "data"), durable: true }; // what is acknowledged must survive an immediate stop
    let server: RunningPostgres = await startPostgres(data);
    const { port } = server;
    closing.push(() => server.stop());
    const roles = await bootstrapDatabase(server.superuserUrl, "appointments", secrets.passwords);
    await migrateDatabase(roles.migrator);
    const { fixture, token } = await makeWorld(roles.migrator);
    const superuser = openDb(databaseUrl(server.superuserUrl, { database: "appointments" }), { max: 4, applicationName: "drill" });
    const worker = openDb(roles.worker, { max: 4, applicationName: "drill" });
    closing.push(() => Promise.all([closeDb(superuser), closeDb(worker)]));

    let broker: Broker | undefined;
    const brokerDir = path.join(ROOT, ".data", path.basename(base));
    const startKafka = async () => {
      mkdirSync(path.dirname(brokerDir), { recursive: true });
      const at = broker ? { port: Number(broker.brokers.split(":")[1]) } : {};
      broker = await startBroker({ dir: brokerDir, ...at, untilParentEnds: true, log: () => {} });
    };
    if (log === "kafka") {
      closing.push(() => rmSync(brokerDir, { recursive: true, force: true }));
      await startKafka();
      closing.push(() => broker?.stop());
    }
    const choice = { EVENT_LOG: log, KAFKA_BROKERS: broker ? [broker.brokers] : [] };
    const eventLog = await openEventLog(choice, worker);
    closing.push(() => eventLog.close());

    const webPort = await freePort();
    const origin = `http://127.0.0.1:${webPort}`;
    const shared = {
      DIGEST_KEYS: secrets.digestKeys,
      EVENT_LOG: log,
      KAFKA_BROKERS: choice.KAFKA_BROKERS.join(),
      KAFKAJS_NO_PARTITIONER_WARNING: "1",
      LOG_LEVEL: "warn",
      DATABASE_POOL_MAX: "6",
    };
    const webEnv = {
      ...shared,
      PORT: String(webPort),
      HOSTNAME: "127.0.0.1",
      DATABASE_URL: roles.web,
      AUTH_SECRET: secrets.authSecret,
      AUTH_URL: origin,
      NEXT_MANUAL_SIG_HANDLE: "1",
      RATE_LIMIT_PER_MINUTE: "1000000",
    };
    const workerEnv = { ...shared, WORKER_DATABASE_URL: roles.worker, WORKER_LEASE_MS: String(leaseMs) };
    const processes: Supervised[] = [];
    closing.push(() => Promise.all(processes.map((one) => one.end())));
    const add: Stand["add"] = (role, env) => {
      const name = `${role} ${processes.filter((one) => one.role === role).length + 1}`;
      const made =
        role === "web"
          ? supervise({ name, role, file: WEB_SERVER, env: { ...webEnv, ...env } })
          : supervise({ name, role, file: WORKERS, args: [role], env: { ...workerEnv, ...env } });
      processes.push(made);
      return made;
    };
    add("web", {});
    for (const role of workerRoles) for (let i = 0; i < (role === "retry-scheduler" ? 1 : 2); i++) add(role, {});
    await untilReady(origin, processes);
    let visits = 0;
    return {
      log,
      origin,
      token,
      fixture,
      urls: roles,
      ring: parseDigestKeys(secrets.digestKeys),
      superuser,
      worker,
      eventLog,
      processes,
      of: (role) => processes.filter((one) => one.role === role).slice(0, 2),
      add,
      stopPostgres: () => server.stop(0),
      startPostgres: async () => {
        server = await startPostgres({ ...data, port });
      },
      stopKafka: async () => broker?.stop(),
      startKafka,
      nextVisit: () => visits++,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function makeWorld(url: string): Promise<{ fixture: ClinicFixture; token: string }> {
  const migrator = openDb(url, { max: 1, applicationName: "drill" });
  const fixture = await createClinicFixture(migrator, { patients: 200 });
  const token = randomBytes(32).toString("base64url");
  const { tenantGroupId, ber } = fixture.t1;
  const client = newUuid();
  await withTx(migrator, {}, async (tx) => {
    await tx.sql`insert into api_clients (id, tenant_group_id, ref, name) values (${client}, ${tenantGroupId}, ${newRef("AC")}, 'Drill')`;
    await tx.sql`
      insert into api_tokens (tenant_group_id, api_client_id, token_hash, clinic_ids, commands)
      values (${tenantGroupId}, ${client}, ${tokenHash(token)}, ${[ber.id]}::uuid[], ${[...tokenCommands]}::text[])`;
  });
  await closeDb(migrator);
  return { fixture, token };
}

async function untilReady(origin: string, processes: Supervised[]): Promise<void> {
  for (const end = Date.now() + readyMaxMs; Date.now() < end; ) {
    const broken = processes.flatMap((one) => one.unasked)[0];
    if (broken) throw new Error(broken);
    const answer = await fetch(`${origin}/api/health/ready`, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  throw new Error(`the web app was not ready after ${readyMaxMs / 1000} s`);
}
