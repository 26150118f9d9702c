import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { withRead } from "@/db/client";
import { beat } from "@/server/domain/leases/heartbeat";
import { newUuid } from "@/server/ids";
import { World } from "@/workers/model/testing/world";
import { consumerLag } from "./consumer-lag";
import { silentAfterMs, workerHealth, workerRoles } from "./worker-health";

let world: World;
let scope: { tenantGroupId: string; clinicIds: string[] };
const health = () => withRead(world.db.web, scope, (tx) => workerHealth(tx, scope));
const relay = async () => (await health()).roles.find((one) => one.role === "outbox-relay");
const beats = (workerId: string, state: "RUNNING" | "PAUSED" | "STOPPED", details = {}) =>
  beat(world.db.worker, "test", [{ workerId, role: "outbox-relay", state, details }]);
const silence = (seconds: number) =>
  world.db.superuser.$client`update worker_heartbeats set beat_at = beat_at - make_interval(secs => ${seconds})`;

beforeAll(async () => {
  world = await World.open();
  const { tenantGroupId, ber } = world.fixture.t1;
  scope = { tenantGroupId, clinicIds: [ber.id] };
});
beforeEach(() => world.db.superuser.$client`truncate worker_heartbeats`);
afterAll(() => world.db.close());

describe("worker health", () => {
  it("a role without any heartbeat is missing, and not idle", async () => {
    expect((await health()).roles.map((one) => [one.role, one.state])).toEqual(workerRoles.map((role) => [role, "NEVER"]));
  });

  it("a relay that died is silent since its last beat, although nothing waits", async () => {
    await beats("a", "RUNNING");
    expect(await relay()).toMatchObject({ state: "RUNNING", processes: 1, silentSeconds: 0 });
    await silence(silentAfterMs / 1000 + 1);
    const found = await health();
    expect(found.roles[0]).toMatchObject({ role: "outbox-relay", state: "SILENT", processes: 0 });
    expect(found.roles[0]?.lastBeatAt).not.toBeNull();
    expect(found.toPublish).toEqual({ count: 0, oldestSeconds: null });
  });

  it("a process that lives speaks for the role beside one that died or left", async () => {
    await beats("dead", "RUNNING");
    await silence(60);
    await beats("left", "STOPPED");
    expect(await relay()).toMatchObject({ state: "STOPPED" });
    await beats("waits", "PAUSED", { outage: "LOG_UNAVAILABLE" });
    expect(await relay()).toMatchObject({ state: "PAUSED", processes: 1, outage: "LOG_UNAVAILABLE" });
    await beats("works", "RUNNING");
    expect(await relay()).toMatchObject({ state: "RUNNING", processes: 2, outage: null });
  });

  it("the roles are those that the workers' process starts", () => {
    const main = readFileSync("workers/main.ts", "utf8");
    const table = /const workers: Record<string, Worker> = \{([^}]*)\}/.exec(main)?.[1] ?? "";
    expect([...table.matchAll(/"([\w-]+)":/g)].map((match) => match[1])).toEqual([...workerRoles]);
  });

  it("counts what waits with the age of the oldest, in the clinics of the reader only", async () => {
    await world.send({ kind: "book", wish: { slot: 0, doctor: 0, patient: 0 } } as never, `key-${newUuid()}`);
    await world.db.superuser.$client`update outbox set occurred_at = occurred_at - interval '90 seconds'`;
    const found = await health();
    expect(found.toPublish.count).toBe(1);
    expect(Math.round(found.toPublish.oldestSeconds ?? 0)).toBeGreaterThanOrEqual(90);
    expect(found.toSend.count).toBe(1);
    const { tenantGroupId, nyc } = world.fixture.t1;
    const elsewhere = { tenantGroupId, clinicIds: [nyc.id] };
    expect(await withRead(world.db.web, elsewhere, (tx) => workerHealth(tx, elsewhere))).toMatchObject({
      toPublish: { count: 0 },
      toSend: { count: 0 },
    });
  });

  it("lag is the distance of each group to the end of the log; a log that does not answer is unknown, never 0", async () => {
    await world.relay();
    const consumers = ["daily-load-v1", "reminder-planner-v1"].map((consumer) => ({ consumer, topic: "appointment.v1" }));
    // of another topic, in which nothing was written: what visits wait for is no business of its own
    const signpost = { consumer: "planning-trigger-v1", topic: "clinic-fact.v1" };
    expect(await consumerLag(world.log, [...consumers, signpost], 2_000)).toEqual([
      ...consumers.map(({ consumer }) => ({ consumer, behind: 1 })),
      { consumer: "planning-trigger-v1", behind: 0 },
    ]);
    const away = { ...world.log, watermarks: () => Promise.reject(new Error("away")) };
    const hangs = { ...world.log, groupOffsets: () => new Promise<never>(() => {}) };
    for (const log of [away, hangs]) expect((await consumerLag(log, consumers, 20)).map((one) => one.behind)).toEqual([null, null]);
  });
});
