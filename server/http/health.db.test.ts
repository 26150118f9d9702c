import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openDb } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { beat } from "@/server/domain/leases/heartbeat";
import { silentAfterMs, workerRoles } from "@/server/domain/operations/worker-health";
import { ready } from "./health";

let db: TestDatabase;
const asked = async (from = db.web) => {
  const response = await ready({ db: from });
  return { code: response.status, ...((await response.json()) as { status: string; database: string; workers: { state: string }[] }) };
};
const beats = (state: "RUNNING" | "PAUSED" | "STOPPED", roles: readonly string[] = workerRoles) =>
  beat(
    db.worker,
    "test",
    roles.map((role) => ({ workerId: `${role}-1`, role, state, details: {} })),
  );

beforeAll(async () => {
  db = await createTestDatabase();
});
beforeEach(() => db.superuser.$client`truncate worker_heartbeats`);
afterAll(() => db.close());

describe("a web process is ready", () => {
  it("and whole while every role of the workers runs", async () => {
    await beats("RUNNING");
    expect(await asked()).toMatchObject({ code: 200, status: "ready", database: "ok", migrations: "ok" });
  });

  it("but degraded while one role is silent, was stopped, waits or never came: bookings go on", async () => {
    expect(await asked()).toMatchObject({ code: 200, status: "degraded" });
    await beats("RUNNING", workerRoles.slice(1));
    expect(await asked()).toMatchObject({ code: 200, status: "degraded" });
    for (const state of ["PAUSED", "STOPPED"] as const) {
      await beats("RUNNING");
      await beats(state, workerRoles.slice(0, 1));
      expect(await asked()).toMatchObject({ code: 200, status: "degraded" });
    }
    await beats("RUNNING");
    await db.superuser.$client`
      update worker_heartbeats set beat_at = beat_at - ${silentAfterMs + 1_000} * interval '1 millisecond' where role = ${workerRoles[0]}`;
    expect(await asked()).toMatchObject({ code: 200, status: "degraded" });
  });

  it("not at all without its database", async () => {
    const away = openDb("postgres://aops_web:web@127.0.0.1:1/none", { max: 1, applicationName: "test" });
    expect(await asked(away)).toMatchObject({ code: 503, status: "unavailable", database: "failed", workers: [] });
    await away.$client.end({ timeout: 1 });
  });
});
