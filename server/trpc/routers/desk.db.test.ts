import { TRPCError } from "@trpc/server";
import { afterAll, beforeAll, expect, it } from "vitest";
import { withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { systemClock } from "@/server/clock";
import { type ClinicFixture, createClinicFixture } from "@/server/domain/clinics/testing";
import { loadActor } from "@/server/domain/scope/load-actor";
import { webEnv } from "@/server/env";
import { makeTimes, newKey, setWebEnvironment } from "@/server/http/operations/testing";
import { newUuid } from "@/server/ids";
import { appRouter } from "../root";
import { createCallerFactory, type TrpcContext } from "../trpc";

let db: TestDatabase;
let world: ClinicFixture;
let context: TrpcContext;

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
