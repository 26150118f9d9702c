import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { beat, forgetOldWorkers } from "./heartbeat";

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.close());

const rows = () =>
  db.superuser.$client`select worker_id, role, state, details, started_at = beat_at as is_first from worker_heartbeats order by worker_id`;
const one = (workerId: string, state: "RUNNING" | "STOPPED" = "RUNNING") => ({
  workerId,
  role: "outbox-relay",
  state,
  details: { published: 3 },
});

it("a worker has one row that says when it began, that it lives, and what it does", async () => {
  await beat(db.worker, "p1", [one("relay-1"), one("relay-2")]);
  await beat(db.worker, "p1", [one("relay-1", "STOPPED")]);
  expect(await rows()).toMatchObject([
    { worker_id: "relay-1", state: "STOPPED", details: { published: 3 } },
    { worker_id: "relay-2", state: "RUNNING" },
  ]);
});

it("silent workers of the past are forgotten, living and lately silent ones are not", async () => {
  await beat(db.worker, "p1", [one("old"), one("stopped", "STOPPED"), one("silent")]);
  await db.superuser.$client`update worker_heartbeats set beat_at = beat_at - interval '8 days' where worker_id = 'old'`;
  await db.superuser.$client`update worker_heartbeats set beat_at = beat_at - interval '2 days' where worker_id in ('stopped', 'silent')`;
  expect(await forgetOldWorkers(db.worker, "p1")).toBe(2);
  expect((await rows()).map((row) => row.worker_id)).toEqual(["relay-1", "relay-2", "silent"]);
});
