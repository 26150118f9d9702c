// Twenty desks want one time, again and again: as many get it as there are places, nobody is told "done" who is not booked, and each loser hears what
// stood in the way. A sample runs with the other tests; `npm run test:races` runs 200 rounds of each.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { systemClock } from "@/server/clock";
import { insertTreatment } from "@/server/domain/clinics/set-up";
import { type ClinicFixture, createClinicFixture } from "@/server/domain/clinics/testing";
import { checkInvariants } from "@/server/domain/operations/check-invariants";
import { loadActor } from "@/server/domain/scope/load-actor";
import { webEnv } from "@/server/env";
import { newUuid } from "@/server/ids";
import { appRouter } from "@/server/trpc/root";
import { createCallerFactory, type TrpcContext } from "@/server/trpc/trpc";
import { makeTimes, newKey, setWebEnvironment } from "./testing";

const rounds = Number(process.env.RACE_ROUNDS ?? 10);
const desks = 20;
let db: TestDatabase;
let world: ClinicFixture;
let context: TrpcContext;
let threeAtOnce: string;
const time = makeTimes("Europe/Berlin");

beforeAll(async () => {
  db = await createTestDatabase();
  setWebEnvironment(db.urls.web);
  world = await createClinicFixture(db.migrator, { patients: desks });
  const { tenantGroupId, ber } = world.t1;
  const userId = newUuid();
  threeAtOnce = await withTx(db.migrator, {}, async (tx) => {
    await tx.sql`
      insert into users (id, tenant_group_id, ref, email, name, password_hash)
      values (${userId}, ${tenantGroupId}, 'ST-000001', 'desk@clinic.invalid', 'Desk', 'x')`;
    await tx.sql`insert into user_roles (tenant_group_id, user_id, role, clinic_id) values (${tenantGroupId}, ${userId}, 'FRONT_DESK', ${ber.id})`;
    return (await insertTreatment(tx, ber, { name: "Three at once", durationMinutes: 15, seats: 3 })).id;
  });
  const actor = await loadActor(db.web, { tenantGroupId, userId });
  context = { db: db.web, clock: systemClock, env: webEnv(), requestId: "race", actor, batchSize: 1 };
});
afterAll(async () => {
  expect(await checkInvariants(db.superuser)).toEqual([]);
  await db.close();
});

type Answer = { status: number; body: Record<string, unknown> & { id?: string; code?: string; blockers?: Blocker[] } };
type Blocker = { code: string; subject: { kind: string; ref: string } };

/** One round: every desk books for a patient of its own, with a key of its own, at the same time. */
async function race(treatmentId: string) {
  const doctor = world.t1.ber.doctors[0] as { id: string; ref: string };
  const startsAt = time();
  const book = (n: number) =>
    createCallerFactory(appRouter)({ ...context, requestId: `race-${n}` }).desk.book({
      clinicId: world.t1.ber.id,
      key: newKey(),
      visit: { patient: { id: world.t1.patients[n]?.id as string }, treatmentId, doctorId: doctor.id, startsAt },
    }) as Promise<Answer>;
  const answers = await Promise.all(Array.from({ length: desks }, (_, n) => book(n)));
  const visits = await db.superuser.$client<{ id: string; patient_id: string }[]>`
    select a.id, a.patient_id
    from appointments a
    join resource_claims c on c.appointment_id = a.id
    join doctors d on d.resource_id = c.resource_id
    where a.starts_at = ${startsAt}::timestamptz and a.status = 'CONFIRMED' and d.id = ${doctor.id}`;
  return { answers, visits, doctor };
}

describe(`${rounds} rounds of ${desks} desks that want one time`, () => {
  it.each([
    ["one place", 1],
    ["three places", 3],
  ])(
    "H-A2 %s: as many are booked, exactly those are told so, and each other desk is told which doctor is taken",
    async (_name, places) => {
      for (let round = 0; round < rounds; round++) {
        const { answers, visits, doctor } = await race(places === 1 ? world.t1.ber.treatments.VISIT15 : threeAtOnce);
        const told = answers.map(({ status, body }, n) => ({ n, status, body })).filter(({ status }) => status === 201);
        expect(told).toHaveLength(places);
        const booked = told.map(({ n, body }) => `${body.id} ${world.t1.patients[n]?.id}`);
        expect(visits.map(({ id, patient_id }) => `${id} ${patient_id}`).sort()).toEqual(booked.sort());
        for (const { status, body } of answers.filter((answer) => answer.status !== 201)) {
          expect([status, body.code]).toEqual([409, "slot-taken"]);
          const blocked = new Set(body.blockers?.map(({ code, subject }) => `${code} ${subject.kind} ${subject.ref}`));
          expect([...blocked]).toEqual([`DOCTOR_TAKEN DOCTOR ${doctor.ref}`]);
        }
      }
    },
    60_000 + rounds * 5_000,
  );
});
