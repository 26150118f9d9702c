// Facts over tRPC, as the desk sends them: each right opens its own commands, and a key is one command.
import { TRPCError } from "@trpc/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { parseDigestKeys } from "@/server/canonical-hash";
import { systemClock } from "@/server/clock";
import { type ClinicFixture, createClinicFixture } from "@/server/domain/clinics/testing";
import type { Role } from "@/server/domain/scope/actor";
import { loadActor } from "@/server/domain/scope/load-actor";
import type { WebEnv } from "@/server/env";
import { newRef, newUuid } from "@/server/ids";
import { problemOf } from "../problem-of";
import { appRouter } from "../root";
import { createCallerFactory } from "../trpc";

let db: TestDatabase;
let world: ClinicFixture;
const env = {
  DIGEST_KEYS: parseDigestKeys(`k1:${Buffer.from("0123456789abcdefghijklmnopqrstuv").toString("base64")}`),
  IDEMPOTENCY_RETENTION_HOURS: 24,
  IDEMPOTENCY_WAIT_MS: 2_000,
  IDEMPOTENCY_REUSED_STATUS: 409,
} as WebEnv;

beforeAll(async () => {
  db = await createTestDatabase();
  world = await createClinicFixture(db.migrator);
});
afterAll(() => db.close());

async function as(...roles: Role[]) {
  const { tenantGroupId, ber } = world.t1;
  const userId = newUuid();
  const sql = db.migrator.$client;
  await sql`
    insert into users (id, tenant_group_id, ref, email, name, password_hash)
    values (${userId}, ${tenantGroupId}, ${newRef("ST")}, ${`${userId}@clinic.invalid`}, 'Name', 'x')`;
  for (const role of roles)
    await sql`insert into user_roles (tenant_group_id, user_id, role, clinic_id) values (${tenantGroupId}, ${userId}, ${role}, ${ber.id})`;
  const actor = await loadActor(db.web, { tenantGroupId, userId });
  return createCallerFactory(appRouter)({ db: db.web, clock: systemClock, env, requestId: newUuid(), actor, batchSize: 1 }).facts;
}
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (error) => (error instanceof TRPCError ? problemOf(error, undefined).code : `${error}`),
  );

describe("facts over tRPC", () => {
  it("the desk previews, adds, changes and ends; ADMIN changes the week; neither does the other's", async () => {
    const { ber } = world.t1;
    const clinicId = ber.id;
    const doctorId = ber.doctors[0]?.id as string;
    const [desk, admin] = [await as("FRONT_DESK"), await as("FRONT_DESK", "ADMIN")];
    const fact = { kind: "absence" as const, input: { doctorId, from: "2098-02-11", until: "2098-02-11" } };
    const key = `key-${newUuid()}`;
    expect(await desk.preview({ clinicId, fact })).toEqual({ count: 0, visits: [], days: [] });
    const added = await desk.add({ clinicId, key, fact });
    expect(await desk.add({ clinicId, key, fact })).toEqual({ ...added, replayed: true });
    expect(await codeOf(desk.add({ clinicId, key, fact: { ...fact, input: { ...fact.input, until: "2098-02-12" } } }))).toBe(
      "idempotency-key-reused",
    );
    const factId = String(added.body.id);
    const listed = await desk.list({ clinicId, fromDate: "2098-02-01", doctorId });
    expect(listed).toMatchObject({ mayChangeHours: false, facts: [{ id: factId, kind: "absence", version: "1", words: "Absent" }] });
    const changed = await desk.change({ clinicId, key: `key-${newUuid()}`, factId, version: "1", fact });
    expect([changed.status, changed.body.version]).toEqual([200, "2"]);
    const refused = await desk.end({ clinicId, key: `key-${newUuid()}`, factId, version: "1", kind: "absence" });
    expect([refused.status, refused.body.code]).toEqual([412, "version-stale"]);
    expect((await desk.end({ clinicId, key: `key-${newUuid()}`, factId, version: "2", kind: "absence" })).body.state).toBe("ENDED");

    const { hours, version } = await desk.hours({ clinicId, doctorId });
    const week = { clinicId, key: `key-${newUuid()}`, doctorId, version, week: { hours: hours.slice(1) } };
    expect(await codeOf(desk.changeHours(week))).toBe("right-missing");
    expect((await admin.list({ clinicId, fromDate: "2098-02-01", doctorId })).mayChangeHours).toBe(true);
    expect(await admin.previewHours({ clinicId, doctorId, hours: hours.slice(1) })).toMatchObject({ count: 0 });
    expect((await admin.changeHours(week)).body).toMatchObject({ version: "2", hours: hours.slice(1) });
    expect(await codeOf((await as("ADMIN")).add({ clinicId, key: `key-${newUuid()}`, fact }))).toBe("right-missing");
  });
});
