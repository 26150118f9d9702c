import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { testDeps } from "@/server/domain/deliveries/testing";
import { PlanningWorld } from "@/server/domain/planning/testing";
import { hashPassword } from "@/server/domain/scope/password";
import { newUuid } from "@/server/ids";
import { planningCommand } from "./planning-command";

let db: TestDatabase;
let world: PlanningWorld;
const password = "a synthetic password";
beforeAll(async () => {
  db = await createTestDatabase();
  world = await PlanningWorld.open(db);
  await db.superuser.$client`update users set password_hash = ${await hashPassword(password)}`;
});
afterAll(() => db.close());

const ops = (line: string, who = world.staff, secret: string | undefined = password) =>
  planningCommand([...line.split(" "), "--as", `${who.ref}@clinic.invalid`, "--clinic", world.clinic.ref], testDeps(db.web), secret);

it("asks for a plan once under one key, stops it, and is refused what the pages refuse", async () => {
  const key = newUuid();
  const [id, ref] = await ops(`request --from ${world.day} --until ${world.day} --key ${key}`);
  expect(await ops(`request --from ${world.day} --until ${world.day} --key ${key}`)).toEqual(expect.arrayContaining([id, ref]));
  const run = ref?.slice("ref: ".length);
  await expect(ops(`request --from ${world.day} --until ${world.day}`)).rejects.toThrow("being calculated already");
  expect(await ops(`cancel --run ${run}`)).toContain("state: DISCARDED");
  await expect(ops("request --from 2027-02-30 --until 2027-03-01")).rejects.toThrow("fromDate");
  await expect(ops(`cancel --run ${run}`, world.staff, "wrong")).rejects.toThrow();
  await expect(ops("apply --run SOL-000000")).rejects.toThrow("nothing with this identity");
});

it("shows both versions and applies through the same fence, for STAFF alone", async () => {
  world.nextDay();
  const runId = await world.calculated([{ visit: await world.visit("09:00"), at: "10:00" }]);
  const { ref } = await world.run(runId);
  expect(await ops(`show --run ${ref}`)).toContain("sources    1, behind 0");
  await expect(ops(`apply --run ${ref}`, world.desk)).rejects.toThrow("STAFF");
  expect(await ops(`apply --run ${ref}`)).toEqual(expect.arrayContaining(["outcome: APPLIED", "written: 1"]));
});
