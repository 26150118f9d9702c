import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { insertTestScope, sampleRecord, type TestScope } from "@/server/domain/inbox/testing";
import { appendEvent } from "@/server/domain/outbox/append-event";
import { newUuid } from "@/server/ids";

const root = path.join(import.meta.dirname, "..");
let db: TestDatabase;
let scope: TestScope;
const children: ChildProcess[] = [];

beforeAll(async () => {
  db = await createTestDatabase();
  scope = await insertTestScope(db.superuser);
});
afterAll(() => db.close());
beforeEach(
  () => db.superuser.$client`truncate outbox, inbox, inbox_deliveries, inbox_sequences, daily_load, daily_load_visits, worker_heartbeats`,
);
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

type Started = { child: ChildProcess; output: () => string; ended: Promise<number | null> };

function startWorkers(roles: string[] = [], env: Record<string, string> = {}): Started {
  const child = spawn(process.execPath, ["--import", "tsx", "workers/main.ts", ...roles], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      WORKER_DATABASE_URL: db.urls.worker,
      DIGEST_KEYS: `k1:${Buffer.from(Array.from({ length: 32 }, (_, i) => i * 5)).toString("base64")}`,
      LOG_LEVEL: "info",
      RELAY_POLL_MS: "20",
      CONSUMER_POLL_MS: "20",
      ...env,
    },
  });
  children.push(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk) => {
      output += chunk;
    });
  }
  return { child, output: () => output, ended: new Promise((resolve) => child.once("close", resolve)) };
}

/** `count` appointments with three changes each. */
const announce = (count: number) =>
  withTx(
    db.web,
    { tenantGroupId: scope.tenantGroupId, clinicIds: [scope.clinicId] },
    async (tx) => {
      for (let n = 0; n < count; n++) {
        const id = newUuid();
        for (const seq of [1, 2, 3]) {
          const payload = JSON.parse(sampleRecord(scope, id, seq).value);
          await appendEvent(tx, {
            ...scope,
            commandId: newUuid(),
            topic: "appointment.v1",
            aggregateType: "appointment",
            aggregateId: id,
            aggregateSeq: seq,
            type: "AppointmentStatusChanged",
            schemaVersion: 1,
            payload,
          });
        }
      }
    },
    { deadlineMs: 30_000 },
  );
const one = async (sql: string) => (await db.superuser.$client.unsafe(sql))[0] as Record<string, number>;
/** Of the consumer that needs nothing but the event; the other one looks for the visits themselves, which this test does not make. */
const processed = async () =>
  (await one("select count(*)::int4 as n from inbox where state = 'PROCESSED' and consumer = 'daily-load-v1'")).n as number;
const until = async (holds: () => boolean | Promise<boolean>, timeoutMs = 100_000) => {
  const end = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > end) {
      throw new Error("did not come true in time");
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

/** Nothing lost, no second effect, each appointment in order. */
async function expectDoneOnce(appointments: number) {
  expect(await one("select count(*)::int4 as n from outbox where state <> 'PUBLISHED'")).toEqual({ n: 0 });
  expect(await processed()).toBe(appointments * 3);
  expect(
    await one(
      "select count(*)::int4 as n from (select 1 from inbox_deliveries where outcome = 'PROCESSED' group by inbox_id having count(*) > 1) x",
    ),
  ).toEqual({ n: 0 });
  expect(await one("select coalesce(sum(booked), 0)::int4 as n from daily_load")).toEqual({ n: appointments });
  const late = await one(`
    select count(*)::int4 as n
    from inbox a join inbox b on b.consumer = a.consumer and b.aggregate_id = a.aggregate_id and b.aggregate_seq > a.aggregate_seq
    where a.consumer = 'daily-load-v1' and b.processed_at < a.processed_at`);
  expect(late).toEqual({ n: 0 });
}

describe("the workers' process", () => {
  it("does everything by polling alone, answers for its health, and drains on SIGTERM", async () => {
    const port = await freePort();
    await announce(5);
    const workers = startWorkers([], { WORKER_PORT: String(port) });
    await until(async () => (await processed()) === 15);
    const ready = await fetch(`http://127.0.0.1:${port}/health/ready`);
    expect(ready.status).toBe(200);
    expect(Object.keys((await ready.json()) as object)).toContain("outbox-relay");
    const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(page).toContain('aops_outbox_relayed_total{outcome="published"} 15');
    expect(page).toContain('aops_consumer_lag{consumer="daily-load-v1",topic="appointment.v1"} 0');
    expect(page).not.toContain(scope.tenantGroupId);
    workers.child.kill("SIGTERM");
    expect(await workers.ended).toBe(0);
    const states = await db.superuser.$client`select distinct state from worker_heartbeats`;
    expect(states.map((row) => row.state)).toEqual(["STOPPED"]);
    expect(await one("select count(*)::int4 as n from log_group_offsets where owner is not null")).toEqual({ n: 0 });
    await expectDoneOnce(5);
  });

  it("killed in the middle and started again, loses nothing and does nothing twice", async () => {
    await announce(60);
    const killed = startWorkers();
    await until(async () => (await processed()) > 0);
    killed.child.kill("SIGKILL");
    await killed.ended;
    expect(await processed()).toBeLessThan(180);
    // the dead process's leases, moved to their end instead of waited for
    await db.superuser.$client`update outbox set lease_until = clock_timestamp() where state = 'CLAIMED'`;
    await db.superuser.$client`update inbox set lease_until = clock_timestamp() where state = 'PROCESSING'`;
    await db.superuser.$client`update log_group_offsets set lease_until = clock_timestamp() where owner is not null`;
    const resumed = startWorkers();
    await until(async () => (await processed()) === 180);
    resumed.child.kill("SIGTERM");
    await resumed.ended;
    await expectDoneOnce(60);
  });

  it("two at once share the work and do nothing twice", async () => {
    const both = [startWorkers(), startWorkers()];
    await until(() => both.every((workers) => workers.output().includes("workers started")));
    await announce(40);
    await until(async () => (await processed()) === 120);
    for (const workers of both) workers.child.kill("SIGTERM");
    expect(await Promise.all(both.map((workers) => workers.ended))).toEqual([0, 0]);
    await expectDoneOnce(40);
  });

  it("runs only the roles it is given", async () => {
    await announce(1);
    const relay = startWorkers(["outbox-relay"]);
    await until(async () => (await one("select count(*)::int4 as n from outbox where state = 'PUBLISHED'")).n === 3);
    expect(await processed()).toBe(0);
    const roles = async () => (await db.superuser.$client`select role from worker_heartbeats`).map((row) => row.role);
    expect(await roles()).toEqual(["outbox-relay"]);
    relay.child.kill("SIGTERM");
    expect(await relay.ended).toBe(0);
  });

  it("says in words why it cannot start: an unknown role, a missing variable, another schema", async () => {
    const unknown = startWorkers(["baker"]);
    expect(await unknown.ended).toBe(1);
    expect(unknown.output()).toContain("no such worker: baker");
    const missing = startWorkers([], { DIGEST_KEYS: "" });
    expect(await missing.ended).toBe(1);
    expect(missing.output()).toContain("DIGEST_KEYS: is not set");
    await db.superuser.$client`update migrations set hash = reverse(hash) where position = 0`;
    const other = startWorkers();
    expect(await other.ended).toBe(1);
    expect(other.output()).toContain("npm run db:migrate");
    await db.superuser.$client`update migrations set hash = reverse(hash) where position = 0`;
  });

  it.each(["throw new Error('planted')", "Promise.reject(new Error('planted'))"])(
    "ends after a fault that nobody caught, so that a fresh one can start: %s",
    async (fault) => {
      const preload = `data:text/javascript,${encodeURIComponent(`process.on("SIGUSR2", () => { ${fault} })`)}`;
      const workers = startWorkers(["retry-scheduler"], { NODE_OPTIONS: `--import ${preload}` });
      await until(() => workers.output().includes("workers started"));
      workers.child.kill("SIGUSR2");
      expect(await workers.ended).toBe(1);
      expect(workers.output()).toMatch(/"level":"fatal".*(uncaught exception|unhandled rejection)/);
    },
  );

  it("ends when its parent is gone", async () => {
    const parent = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    const workers = startWorkers(["retry-scheduler"], { DEMO_PARENT_PID: String(parent.pid) });
    await until(() => workers.output().includes("workers started"));
    parent.kill("SIGKILL");
    expect(await workers.ended).toBe(0);
  });
});

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
