import { type FloorMove, fetchPlanRows, writeMoves } from "@/bench/floors/planning";
import { type Context, type Suite, scaled } from "@/bench/lib/context";
import type { BenchDatabase } from "@/bench/lib/database";
import { fillAppointments } from "@/bench/lib/fill";
import { alone, compared, type Row } from "@/bench/lib/report";
import { milliseconds, runAlternately } from "@/bench/lib/rounds";
import { type BenchClinic, type Booking, createWorld, firstDay, type World } from "@/bench/lib/world";
import { withRead } from "@/db/client";
import { addDays } from "@/server/domain/clinics/local-time";
import { testDeps } from "@/server/domain/deliveries/testing";
import { applyPlan } from "@/server/domain/planning/apply-plan";
import { claimRun } from "@/server/domain/planning/claim-run";
import { requestRun } from "@/server/domain/planning/request-run";
import { settleCalculation } from "@/server/domain/planning/settle-calculation";
import { loadSnapshot } from "@/server/domain/planning/snapshot/load-snapshot";
import { planningFactVersion } from "@/server/domain/planning/snapshot/planning-fact-version";
import type { PlanningSnapshot } from "@/server/domain/planning/snapshot/types";
import { noSolution } from "@/server/domain/planning/testing";
import type { ApplyResult } from "@/server/domain/planning/types";
import type { PersonActor } from "@/server/domain/scope/actor";
import { newUuid } from "@/server/ids";

const suite = "planning";
const days = 30;
/** Every seventh place is taken, so the quarter after each visit is free; two clinics side by side, one of them for the floor. */
const spacing = 7;
const visitsEach = 2_000;

/** What a plan costs around its solve: reading what it is calculated from, and applying it. */
export const planning: Suite = async (context) => {
  const database = await context.freshDatabase();
  const world = await createWorld(database.migrator, { clinics: 2, name: suite });
  const bookings = Array.from({ length: 2 * visitsEach }, (_, n) => world.booking(n * spacing));
  await fillAppointments(database.urls.superuser, world, bookings);
  return [...(await reading(context, database, world)), ...(await applying(context, database, world))];
};

async function reading(context: Context, database: BenchDatabase, world: World): Promise<Row[]> {
  const { id: clinicId } = world.clinics[0] as BenchClinic;
  const amount = scaled(context, 10, 3);
  const repeat = (once: () => Promise<unknown>) => async () =>
    (await milliseconds(async () => {
      for (let i = 0; i < amount; i++) await once();
    })) / amount;
  const measured = await runAlternately(
    [
      { name: "ours", run: repeat(async () => planningFactVersion(await snapshotOf(database, world, clinicId))) },
      { name: "fetch the rows", run: repeat(() => fetchPlanRows(database.bare, clinicId, firstDay, days)) },
      { name: "snapshot", run: repeat(() => snapshotOf(database, world, clinicId)) },
    ],
    context.rounds,
  );
  const what = `10 doctors, ${days} days, ${visitsEach} visits`;
  return [
    compared(measured, {
      suite,
      what: `snapshot and hash of ${what}`,
      unit: "ms",
      ours: "ours",
      baseline: "fetch the rows",
      bar: { atMost: 3 },
      note: "baseline: one plain select for each table, all sent at once on one connection",
    }),
    alone(measured, { suite, what: `of it the snapshot: ${what}`, unit: "ms", side: "snapshot" }),
  ];
}

/** 200 visits go a quarter of an hour on, and back again in the next round; the floor does the same in the other clinic. */
async function applying(context: Context, database: BenchDatabase, world: World): Promise<Row[]> {
  const amount = scaled(context, 200, 40);
  const [clinic, other] = world.clinics as [BenchClinic, BenchClinic];
  const staff = await insertStaff(database, clinic);
  const floor = await movesOf(database, world, other, amount);
  const rows: Row[] = [];
  for (const [label, span] of [
    ["a plan of these visits alone", Math.ceil((amount * spacing) / (10 * 48)) + 1],
    [`a plan of ${days} days with ${visitsEach} visits`, days],
  ] as const) {
    const visits = await movesOf(database, world, clinic, amount);
    let [round, runId, floorRound] = [0, "", 0];
    const factsMs: number[] = [];
    const measured = await runAlternately(
      [
        {
          name: "ours",
          prepare: async () => {
            runId = await calculated(database, world, clinic, staff, visits, round++ % 2 === 0, span);
          },
          run: async () => {
            let result: ApplyResult | undefined;
            const took = await milliseconds(async () => {
              result = JSON.parse((await applyPlan(testDeps(database.web), callOf(clinic, staff), runId)).body);
            });
            if (result?.outcome !== "APPLIED") throw new Error(`the plan was not applied: ${JSON.stringify(result)}`);
            factsMs.push(result.stepMs.facts ?? 0);
            return took - (result.stepMs.facts ?? 0);
          },
        },
        {
          name: "raw SQL",
          run: () =>
            milliseconds(() =>
              writeMoves(
                database.bare,
                { tenantGroupId: world.tenantGroupId, clinicId: other.id, actorRef: staff.ref },
                floor.map(({ there, back }) => (floorRound % 2 === 0 ? there : back)),
              ),
            ).finally(() => {
              floorRound += 1;
            }),
        },
      ],
      context.rounds,
      () => database.bare`analyze`,
    );
    const facts = factsMs.slice(-context.rounds).sort((a, b) => a - b)[Math.floor(context.rounds / 2)] ?? 0;
    rows.push(
      compared(measured, {
        suite,
        what: `apply of ${amount} moves, ${label}`,
        unit: "ms",
        ours: "ours",
        baseline: "raw SQL",
        bar: { atMost: 3 },
        note: `the snapshot's load comes on top: ${facts.toFixed(1)} ms; baseline: the same rows of all tables, set-based, in one transaction that compares and locks nothing`,
      }),
    );
  }
  return rows;
}

const snapshotOf = (database: BenchDatabase, world: World, clinicId: string, span = days): Promise<PlanningSnapshot> =>
  withRead(
    database.web,
    world.actor,
    async (tx) =>
      (await loadSnapshot(tx, world.actor, { clinicId, fromDate: firstDay, untilDate: addDays(firstDay, span - 1) })) as PlanningSnapshot,
    { isolation: "repeatable read" },
  );

type Swing = { there: FloorMove; back: FloorMove };

/** The first visits of a clinic, each with the place a quarter of an hour later and the one that it has. */
async function movesOf(database: BenchDatabase, world: World, clinic: BenchClinic, amount: number): Promise<Swing[]> {
  const swings: Swing[] = [];
  for (let n = 0; swings.length < amount; n++) {
    const booking = world.booking(n * spacing);
    if (booking.clinic.id !== clinic.id) continue;
    const [visit] = await database.bare<{ id: string }[]>`
      select id from appointments
      where clinic_id = ${clinic.id} and doctor_id = ${booking.doctor.id} and patient_id = ${booking.patient.id}
      order by abs(extract(epoch from starts_at - ${booking.startsAt}::timestamptz))
      limit 1`;
    const id = visit?.id as string;
    const later = world.booking(n * spacing + 10 * world.clinics.length);
    swings.push({ there: toMove(id, { ...later, patient: booking.patient }), back: toMove(id, booking) });
  }
  return swings;
}

const toMove = (id: string, { doctor, patient, clinic: _, treatmentId: __, ...time }: Booking): FloorMove => ({
  id,
  patientId: patient.id,
  patientResource: patient.resourceId,
  doctorId: doctor.id,
  doctorResource: doctor.resourceId,
  ...time,
});

/** A plan with these moves, as a solver would have left it. */
async function calculated(
  database: BenchDatabase,
  world: World,
  clinic: BenchClinic,
  staff: PersonActor,
  visits: Swing[],
  isThere: boolean,
  span: number,
): Promise<string> {
  const moves = visits.map(({ there, back }) => (isThere ? there : back));
  const request = { fromDate: firstDay, untilDate: addDays(firstDay, span - 1), chosenIds: moves.map(({ id }) => id) };
  await requestRun(testDeps(database.web), callOf(clinic, staff), request, "OPERATIONS");
  const run = await claimRun(database.worker, "bench", 60_000);
  if (!run || run === "ENDED") throw new Error("no run to settle");
  const snapshot = await snapshotOf(database, world, clinic.id, span);
  const why = { code: "CHOSEN" as const, subjectRef: null, from: null, until: null };
  const placements = moves.map(({ id, doctorId, startsAt }) => ({ appointmentId: id, doctorId, startsAt, equipmentIds: [] }));
  const reasons = new Map(moves.map(({ id }) => [id, why]));
  const calculation = { snapshot, snapshotMs: 1, solveMs: 1, solution: noSolution, placements, reasons, movable: moves.length, stays: [] };
  await settleCalculation(database.worker, "bench", run, calculation);
  return run.id;
}

const callOf = (clinic: BenchClinic, actor: PersonActor) => ({
  actor,
  clinicId: clinic.id,
  key: newUuid(),
  requestId: newUuid(),
  method: "MUTATION",
  body: {},
});

async function insertStaff(database: BenchDatabase, clinic: BenchClinic): Promise<PersonActor> {
  const [userId, ref] = [newUuid(), "ST-BENCH1"];
  const { tenantGroupId, id: clinicId } = clinic;
  await database.bare`
    insert into users (id, tenant_group_id, ref, email, name, password_hash) values (${userId}, ${tenantGroupId}, ${ref}, 'bench@clinic.invalid', 'B', 'x')`;
  await database.bare`insert into user_roles (tenant_group_id, user_id, role, clinic_id) values (${tenantGroupId}, ${userId}, 'STAFF', ${clinicId})`;
  return { kind: "person", tenantGroupId, clinicIds: [clinicId], userId, ref, roles: [{ role: "STAFF", clinicId }] };
}
