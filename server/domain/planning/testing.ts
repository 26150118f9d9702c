// For tests: a clinic with visits, plans for it that name each move, and the acts of people on them. The moves are given, so that a test of the fence
// does not wait for a solver; the way from a request to an apply is the product's own.
import { type Db, withRead, withTx } from "@/db/client";
import { addDays, localSpan, toIso } from "@/server/domain/clinics/local-time";
import { type ClinicFixture, createClinicFixture, type FixtureClinic } from "@/server/domain/clinics/testing";
import { insertBareVisit } from "@/server/domain/clinics/testing-visits";
import { insertPerson, testDeps } from "@/server/domain/deliveries/testing";
import type { TestScope } from "@/server/domain/inbox/testing";
import type { PersonActor, Role } from "@/server/domain/scope/actor";
import { newUuid } from "@/server/ids";
import { applyPlan } from "./apply-plan";
import { claimRun } from "./claim-run";
import { mayMove, type WhyMove } from "./may-move";
import { type PlannedPlace, placeVisit } from "./place-visit";
import { requestRun } from "./request-run";
import { settleCalculation } from "./settle-calculation";
import { loadSnapshot } from "./snapshot/load-snapshot";
import type { PlanningSnapshot } from "./snapshot/types";
import type { Solution } from "./solver/types";
import type { ApplyResult, PlanningCall, PlanRequest } from "./types";

type Handles = { web: Db; worker: Db; migrator: Db; superuser: Db };
export type TestVisit = { id: string; ref: string; doctorId: string; treatmentId: string; patientId: string };
/** `at`: the clinic's clock of the planned day, `10:00`. */
export type TestMove = { visit: TestVisit; doctor?: number; at: string; equipmentIds?: string[] };

/** A Tuesday far enough away that no clock change lies between, and that nothing of it is past. */
export function planDay(): string {
  const today = new Date().toISOString().slice(0, 10);
  let day = addDays(today, 30);
  while (new Date(`${day}T12:00Z`).getUTCDay() !== 2) day = addDays(day, 1);
  return day;
}

export class PlanningWorld {
  private constructor(
    readonly db: Handles,
    readonly fixture: ClinicFixture,
    readonly clinic: FixtureClinic,
    readonly staff: PersonActor,
    readonly desk: PersonActor,
    /** The day that is planned; a test that wants an empty one takes the next. */
    public day: string,
  ) {}

  static async open(db: Handles, patients = 40): Promise<PlanningWorld> {
    const fixture = await createClinicFixture(db.migrator, { patients });
    return PlanningWorld.over(db, fixture, fixture.t1.ber);
  }

  /** The same day in another clinic, with people of its own. */
  beside = (clinic: FixtureClinic): Promise<PlanningWorld> => PlanningWorld.over(this.db, this.fixture, clinic, this.day);

  /** A fixture that is there already. */
  static async over(db: Handles, fixture: ClinicFixture, clinic: FixtureClinic, day = planDay()): Promise<PlanningWorld> {
    const person = (role: Role) => insertPerson(db.superuser, scopeOf(clinic), role);
    return new PlanningWorld(db, fixture, clinic, await person("STAFF"), await person("FRONT_DESK"), day);
  }

  get range(): PlanRequest {
    return { fromDate: this.day, untilDate: this.day, chosenIds: [] };
  }
  get deps() {
    return testDeps(this.db.web);
  }

  /** The next day on which the clinic is open, with no visit on it yet. */
  nextDay(): void {
    do this.day = addDays(this.day, 1);
    while ([0, 6].includes(new Date(`${this.day}T12:00Z`).getUTCDay()));
  }

  person = (...roles: Role[]) => insertPerson(this.db.superuser, scopeOf(this.clinic), ...roles);

  call = (actor: PersonActor, body: unknown = {}, key = newUuid()): PlanningCall => ({
    actor,
    clinicId: this.clinic.id,
    key,
    requestId: newUuid(),
    method: "MUTATION",
    body,
  });

  /** What the clinic's clock shows on the planned day, as an instant. */
  instant = async (at: string, day = this.day): Promise<string> => toIso(localSpan(this.clinic.zone, `${day}T${at}`, `${day}T23:59`).from);

  snapshot = (range = this.range): Promise<PlanningSnapshot> =>
    withRead(
      this.db.web,
      this.clinic.scope,
      async (tx) => (await loadSnapshot(tx, this.clinic.scope, { clinicId: this.clinic.id, ...range })) as PlanningSnapshot,
      { isolation: "repeatable read" },
    );

  /** A visit of VISIT30 (unless said otherwise), written past every check but the database's own. */
  async visit(
    at: string,
    more: { doctor?: number; patient?: number; treatment?: keyof FixtureClinic["treatments"]; status?: string } = {},
  ): Promise<TestVisit> {
    const { doctor = 0, patient = this.nextPatient++, treatment = "VISIT30", status } = more;
    const { facts } = await this.snapshot();
    const { patients } = this.fixture.t1;
    const treatmentId = this.clinic.treatments[treatment];
    const person = patients[patient % patients.length] as (typeof patients)[number];
    const doctorId = (this.clinic.doctors[doctor] as { id: string }).id;
    const place = { doctorId, startsAt: await this.instant(at), equipmentIds: this.devicesOf(treatment) };
    const placement = placeVisit(facts, { treatmentId, patientResourceId: person.resourceId }, place);
    placement.claims.sort((a, b) => (a.resourceId < b.resourceId ? -1 : 1));
    const held = status === "PENDING_RESCHEDULE" ? { ...placement, claims: [] } : placement;
    const made = await withTx(this.db.migrator, {}, (tx) =>
      insertBareVisit(tx, this.clinic, { treatmentId, patientId: person.id, placement: held, status }),
    );
    return { ...made, doctorId, treatmentId, patientId: person.id };
  }
  private nextPatient = 0;

  private devicesOf = (treatment: keyof FixtureClinic["treatments"]): string[] =>
    treatment === "ULTRASOUND" ? [this.clinic.ultrasound.id] : treatment === "GROUP" ? [this.clinic.room.id] : [];

  /** A plan with these moves, as a solver would have left it. Answers the run's id. */
  async calculated(
    moves: TestMove[],
    more: { range?: PlanRequest; unplaced?: TestVisit[]; stays?: Map<string, WhyMove> } = {},
  ): Promise<string> {
    const request = more.range ?? { ...this.range, chosenIds: moves.map(({ visit }) => visit.id) };
    const answer = await requestRun(this.deps, this.call(this.staff, request), request, "OPERATIONS");
    const run = await claimRun(this.db.worker, "solver-a", 30_000);
    if (!run || run === "ENDED" || run.id !== JSON.parse(answer.body).id) throw new Error("another run was claimed");
    const snapshot = await this.snapshot(request);
    const reasons = mayMove(snapshot, request.chosenIds, []);
    const chosen: WhyMove = { code: "CHOSEN", subjectRef: null, from: null, until: null };
    for (const { visit } of moves) if (!reasons.has(visit.id)) reasons.set(visit.id, chosen);
    const placements = await Promise.all(moves.map((move) => this.placed(move)));
    const unassigned = (more.unplaced ?? []).map(({ id }) => ({ id, why: "NO_ROOM" as const }));
    const stays = snapshot.visits.flatMap((visit) =>
      more.stays?.has(visit.id) ? [{ visit, why: more.stays.get(visit.id) as WhyMove }] : [],
    );
    const solution = { ...noSolution, unassigned, feasible: unassigned.length === 0 };
    const calculation = { snapshot, snapshotMs: 1, solveMs: 1, solution, placements, reasons, movable: reasons.size, stays };
    if (!(await settleCalculation(this.db.worker, "solver-a", run, calculation))) throw new Error("the run was taken over");
    return run.id;
  }

  private async placed({ visit, doctor, at, equipmentIds }: TestMove): Promise<PlannedPlace & { appointmentId: string }> {
    const doctorId = doctor === undefined ? visit.doctorId : (this.clinic.doctors[doctor] as { id: string }).id;
    const treatment = Object.entries(this.clinic.treatments).find(
      ([, id]) => id === visit.treatmentId,
    )?.[0] as keyof FixtureClinic["treatments"];
    return { appointmentId: visit.id, doctorId, startsAt: await this.instant(at), equipmentIds: equipmentIds ?? this.devicesOf(treatment) };
  }

  async apply(runId: string, actor = this.staff, key = newUuid(), deps = this.deps): Promise<ApplyResult> {
    const { status, body } = await applyPlan(deps, this.call(actor, {}, key), runId);
    if (status !== 200) throw new Error(body);
    return JSON.parse(body);
  }

  run = async (id: string) => (await this.db.superuser.$client`select * from planning_runs where id = ${id}`)[0] as Record<string, unknown>;
  attempts = (id: string) => this.db.superuser.$client`select * from planning_apply_attempts where run_id = ${id} order by attempt`;
  row = async (visit: TestVisit) =>
    (await this.db.superuser.$client`select * from appointments where id = ${visit.id}`)[0] as Record<string, string>;

  /** A fact past the product: whoever writes it, and however, the trigger bumps the planning scope. */
  async absence(sql: Pick<Db["$client"], "unsafe">, doctor: number, from: string, until: string): Promise<void> {
    const { id, tenantGroupId, doctors } = this.clinic;
    const [localFrom, localUntil] = [`${this.day} ${from}`, `${this.day} ${until}`];
    const during = `[${await this.instant(from)},${await this.instant(until)})`;
    await sql.unsafe(
      `insert into absences (tenant_group_id, clinic_id, doctor_id, local_from, local_until, during, reason)
       values ('${tenantGroupId}', '${id}', '${doctors[doctor]?.id}', '${localFrom}', '${localUntil}', '${during}', 'Test')`,
    );
  }

  /** Counts of what an apply writes, over all visits of the clinic. */
  async written(): Promise<Record<"history" | "events" | "intents" | "versions" | "attempts", number>> {
    const [row] = await this.db.superuser.$client`
      select (select count(*)::int4 from appointment_history where clinic_id = ${this.clinic.id}) as history,
        (select count(*)::int4 from outbox where clinic_id = ${this.clinic.id} and topic = 'appointment.v1') as events,
        (select count(*)::int4 from notification_intents where clinic_id = ${this.clinic.id}) as intents,
        (select coalesce(sum(version), 0)::int4 from appointments where clinic_id = ${this.clinic.id}) as versions,
        (select count(*)::int4 from planning_apply_attempts where clinic_id = ${this.clinic.id}) as attempts`;
    return row as never;
  }

  /** Claims beyond what their resource takes, at any moment; the database's own count, over all rows. */
  async overbooked(): Promise<number> {
    const rows = await this.db.superuser.$client`
      select 1
      from resource_claims c
      join resources r on r.id = c.resource_id
      where not c.overridden and (
        select count(*) from resource_claims o where o.resource_id = c.resource_id and not o.overridden and o.during @> lower(c.during)
      ) > coalesce(c.seats, r.seats)`;
    return rows.length;
  }
}

/** What a solver says beside its plan, when the moves were given. */
export const noSolution: Solution = {
  plan: [],
  cost: 0,
  levels: {
    unassigned: 0,
    toldMoved: 0,
    untoldMoved: 0,
    doctorChanged: 0,
    daysMoved: 0,
    quartersMoved: 0,
    wishesMissed: 0,
    loadPairs: 0,
    idleMinutes: 0,
  },
  bound: 0,
  unassignedBound: 0,
  gap: 0,
  proven: true,
  provenBy: "COUNTING",
  feasible: true,
  unassigned: [],
  pinnedViolations: [],
  reproducible: true,
  endedBy: "PROVEN",
  engine: { solver: "test", highs: null },
  phases: [],
};

const scopeOf = (clinic: FixtureClinic) => ({ tenantGroupId: clinic.tenantGroupId, clinicId: clinic.id }) as TestScope;
