import { TRPCError } from "@trpc/server";
import { afterAll, beforeAll, expect, it } from "vitest";
import { withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { systemClock } from "@/server/clock";
import { type ClinicFixture, createClinicFixture } from "@/server/domain/clinics/testing";
import { loadActor } from "@/server/domain/scope/load-actor";
import { webEnv } from "@/server/env";
import { makeTimes, newKey, setWebEnvironment } from "@/server/http/operations/testing";
import { newRef, newUuid } from "@/server/ids";
import { appRouter } from "../root";
import { createCallerFactory, type TrpcContext } from "../trpc";

let db: TestDatabase;
let world: ClinicFixture;
let context: TrpcContext;

/** Somebody with one role in one clinic, and their procedures of the desk. */
async function deskOf(tenantGroupId: string, clinicId: string, role = "FRONT_DESK") {
  const userId = newUuid();
  await withTx(db.migrator, {}, async (tx) => {
    await tx.sql`
      insert into users (id, tenant_group_id, ref, email, name, password_hash)
      values (${userId}, ${tenantGroupId}, ${newRef("ST")}, ${`${userId}@clinic.invalid`}, 'Somebody', 'x')`;
    await tx.sql`insert into user_roles (tenant_group_id, user_id, role, clinic_id) values (${tenantGroupId}, ${userId}, ${role}, ${clinicId})`;
  });
  return createCallerFactory(appRouter)({ ...context, actor: await loadActor(db.web, { tenantGroupId, userId }) }).desk;
}

beforeAll(async () => {
  db = await createTestDatabase();
  setWebEnvironment(db.urls.web);
  world = await createClinicFixture(db.migrator);
  const { tenantGroupId, ber } = world.t1;
  const userId = newUuid();
  await withTx(db.migrator, {}, async (tx) => {
    await tx.sql`
      insert into users (id, tenant_group_id, ref, email, name, password_hash)
      values (${userId}, ${tenantGroupId}, 'ST-000001', 'desk@clinic.invalid', 'Desk', 'x')`;
    await tx.sql`insert into user_roles (tenant_group_id, user_id, role, clinic_id) values (${tenantGroupId}, ${userId}, 'FRONT_DESK', ${ber.id})`;
  });
  context = {
    db: db.web,
    clock: systemClock,
    env: webEnv(),
    requestId: "r",
    actor: await loadActor(db.web, { tenantGroupId, userId }),
    batchSize: 1,
  };
});
afterAll(() => db.close());

it("the fingerprint of a desk's command covers what was sent, so a default that the server adds makes no other command of a retry", async () => {
  const desk = createCallerFactory(appRouter)(context).desk;
  const { ber, patients } = world.t1;
  const visit = { patient: { id: patients[0]?.id as string }, treatmentId: ber.treatments.VISIT15, startsAt: makeTimes("Europe/Berlin")() };
  const key = newKey();
  const first = await desk.book({ clinicId: ber.id, key, visit });
  expect([first.status, first.replayed]).toEqual([201, false]);
  const again = await desk.book({ clinicId: ber.ref, key, visit: { ...visit } });
  expect([again.replayed, again.body.id]).toEqual([true, first.body.id]);
  const spelledOut = await desk.book({ clinicId: ber.id, key, visit: { ...visit, doctorId: "any" } }).catch((error: unknown) => error);
  expect(spelledOut).toBeInstanceOf(TRPCError);
  expect((spelledOut as TRPCError).message).toBe("idempotency-key-reused");
});

it("the trace of the call is kept with the event of a desk's command, as with that of the HTTP API", async () => {
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const desk = createCallerFactory(appRouter)({ ...context, traceparent }).desk;
  const { ber, patients } = world.t1;
  const visit = { patient: { id: patients[2]?.id as string }, treatmentId: ber.treatments.VISIT15, startsAt: makeTimes("Europe/Berlin")() };
  const { body } = await desk.book({ clinicId: ber.id, key: newKey(), visit });
  const kept = () => db.superuser.$client`select traceparent from outbox where aggregate_id = ${String(body.id)} order by aggregate_seq`;
  expect(await kept()).toEqual([{ traceparent }]);
  await desk.cancel({ clinicId: ber.id, key: newKey(), appointmentId: String(body.id), version: "1", change: { reasonCode: "OTHER" } });
  expect(await kept()).toEqual([{ traceparent }, { traceparent }]);
});

it("a key of one clinic's desk shows and changes nothing for another clinic, another tenant group, or a person without the desk's right", async () => {
  const { t1, t2 } = world;
  const [berlin, newYork, kathmandu, staff] = [
    createCallerFactory(appRouter)(context).desk,
    await deskOf(t1.tenantGroupId, t1.nyc.id),
    await deskOf(t2.tenantGroupId, t2.ktm.id),
    await deskOf(t1.tenantGroupId, t1.ber.id, "STAFF"),
  ];
  const visit = {
    patient: { id: t1.patients[1]?.id as string },
    treatmentId: t1.ber.treatments.VISIT15,
    startsAt: makeTimes("Europe/Berlin")(),
  };
  const key = newKey();
  const first = await berlin.book({ clinicId: t1.ber.id, key, visit });
  const records = async () =>
    (
      await db.superuser.$client`
        select (select count(*)::int from appointments) as visits, (select count(*)::int from appointment_history) as changes,
               (select count(*)::int from command_calls where command_id = (select command_id from idempotency_keys
                  where key = ${key} and clinic_id = ${t1.ber.id})) as calls`
    )[0];
  const before = await records();
  const tried = (work: Promise<unknown>) =>
    work.then(JSON.stringify, (error: TRPCError) => `${error.message} ${JSON.stringify(error.cause)}`);

  // in their own clinic the key is unknown; sent there it is a command of its own, which knows nothing of Berlin's visit
  expect(await newYork.lookUp({ clinicId: t1.nyc.id, key })).toBeNull();
  expect(await kathmandu.lookUp({ clinicId: t2.ktm.id, key })).toBeNull();
  const answers = [
    await tried(newYork.book({ clinicId: t1.nyc.id, key, visit })),
    await tried(kathmandu.book({ clinicId: t2.ktm.id, key, visit })),
  ];
  for (const answer of answers) for (const secret of [first.body.id, first.body.ref]) expect(answer).not.toContain(secret);

  // in Berlin they find no such clinic, and a person without the right is told so before the key is read
  for (const [desk, refusal] of [
    [newYork, "not-found"],
    [kathmandu, "not-found"],
    [staff, "right-missing"],
  ] as const) {
    await expect(desk.lookUp({ clinicId: t1.ber.id, key })).rejects.toThrow(refusal);
    await expect(desk.book({ clinicId: t1.ber.id, key, visit })).rejects.toThrow(refusal);
  }
  expect(await records()).toEqual(before);
  expect(await berlin.book({ clinicId: t1.ber.id, key, visit })).toMatchObject({ replayed: true, body: { id: first.body.id } });
});
