import { closeDb, type Db, openDb, type Tx, withTx } from "@/db/client";
import { DEMO_USERS } from "@/scripts/demo/people";
import { type PlannedVisit, planDay } from "@/scripts/demo/plan-day";
import { newRandom, type Random } from "@/scripts/demo/random";
import { PORTAL } from "@/scripts/demo/seed-facts";
import { parseDigestKeys } from "@/server/canonical-hash";
import { cancelAppointment } from "@/server/domain/appointments/cancel-appointment";
import { changeStatus } from "@/server/domain/appointments/change-status";
import type { ChangeCall, CommandCall } from "@/server/domain/appointments/command-call";
import { createAppointment } from "@/server/domain/appointments/create-appointment";
import { rescheduleAppointment } from "@/server/domain/appointments/reschedule-appointment";
import type { AppointmentView } from "@/server/domain/appointments/types";
import { addDays, localAt } from "@/server/domain/clinics/local-time";
import type { ClinicKey } from "@/server/domain/clinics/set-up";
import type { CommandAnswer, CommandDeps } from "@/server/domain/idempotency/types";
import type { Actor, TokenActor } from "@/server/domain/scope/actor";
import { loadActor } from "@/server/domain/scope/load-actor";
import { newUuid } from "@/server/ids";

export type BookFuture = {
  migrator: Db;
  webUrl: string;
  digestKeys: string;
  isStopped: () => boolean;
  say: (line: string) => void;
  /** days after today that are booked, 29 */
  days?: number;
};
type Clinic = ClinicKey & { name: string; desk: Actor & { tenantGroupId: string }; portal: TokenActor };

export const FUTURE_DAYS = 29;
const AT_A_TIME = 4;
/** Bookings come in for the next days first. */
const fullnessOf = (day: number) => (day <= 1 ? 0.62 : day <= 7 ? 0.4 : 0.13);

/** Books the demo's coming visits through the real command, by the desk of each clinic or by the portal; a few calls are repeated. */
export async function bookFuture(options: BookFuture): Promise<{ booked: number; refused: number; changed: number }> {
  const web = openDb(options.webUrl, { max: AT_A_TIME + 1, applicationName: "demo-seed" });
  const deps: CommandDeps = { db: web, digestKeys: parseDigestKeys(options.digestKeys), retentionHours: 24, waitMs: 2_000 };
  const now = Date.now();
  const counts = { booked: 0, refused: 0, changed: 0 };
  try {
    for (const clinic of await findClinics(options.migrator, web)) {
      const random = newRandom(clinic.zone.length * 97);
      const before = counts.booked;
      for (let day = 0; day <= (options.days ?? FUTURE_DAYS) && !options.isStopped(); day++) {
        const date = addDays(localAt(clinic.zone, now).date, day);
        // the clinic's scope: without it the function that tells what is taken tells nothing
        const { visits, patients } = await withTx(
          options.migrator,
          { tenantGroupId: clinic.tenantGroupId, clinicIds: [clinic.id] },
          (tx) => planFuture(tx, clinic, date, fullnessOf(day), now, random),
          { deadlineMs: 60_000 },
        );
        for (let i = 0; i < visits.length; i += AT_A_TIME)
          await Promise.all(
            visits.slice(i, i + AT_A_TIME).map(async (visit, j) => {
              const patientId = patients[i + j];
              if (!patientId) return;
              const answer = await book(deps, clinic, visit, patientId, (i + j) % 23 === 7);
              counts[answer.status === 201 ? "booked" : "refused"] += 1;
              if (answer.status !== 201) return;
              const changed = await changeLater(deps, clinic, JSON.parse(answer.body) as AppointmentView, i + j);
              counts.changed += changed; // read after the wait: others count meanwhile
            }),
          );
      }
      options.say(`${clinic.name}: ${counts.booked - before} visits booked`); // the longest step of a first start: it must not look stuck
    }
    return counts;
  } finally {
    await closeDb(web);
  }
}

/** Visits that start in half an hour or later, and as many patients who have no visit that day. */
async function planFuture(tx: Tx, clinic: Clinic, date: string, fullness: number, now: number, random: Random) {
  const planned = await planDay(tx, clinic, date, fullness, random);
  const visits = planned.filter(({ placement }) => Date.parse(placement.startsAt) > now + 30 * 60_000);
  const patients = await tx.sql<{ id: string }[]>`
    select p.id
    from patients p
    where p.tenant_group_id = ${clinic.tenantGroupId}
      and not exists (
        select from appointments a
        where a.patient_id = p.id and a.starts_at between ${`${date}T00:00Z`}::timestamptz - interval '1 day' and ${`${date}T00:00Z`}::timestamptz + interval '2 days')
    order by md5(p.ref || ${date})
    limit ${visits.length}`;
  return { visits, patients: patients.map(({ id }) => id) };
}

async function book(deps: CommandDeps, clinic: Clinic, visit: PlannedVisit, patientId: string, repeat: boolean): Promise<CommandAnswer> {
  const { treatmentId, placement } = visit;
  const input = { patient: { id: patientId }, treatmentId, doctorId: placement.doctorId, startsAt: placement.startsAt };
  const byPortal = repeat || placement.localStart.endsWith(":30");
  const call: CommandCall = {
    actor: byPortal ? clinic.portal : clinic.desk,
    clinicId: clinic.id,
    key: newUuid(),
    requestId: newUuid(),
    method: byPortal ? "POST" : "MUTATION",
    body: input,
  };
  const answer = await createAppointment(deps, call, input);
  // somebody did not get the answer and asked again
  return repeat ? createAppointment(deps, { ...call, requestId: newUuid() }, input) : answer;
}

/** What the desk does with some of the visits afterwards; a move may meet another visit and be refused. Returns how many changes were made. */
async function changeLater(deps: CommandDeps, clinic: Clinic, visit: AppointmentView, position: number): Promise<number> {
  const call = (body: unknown): ChangeCall => ({
    actor: clinic.desk,
    clinicId: clinic.id,
    key: newUuid(),
    requestId: newUuid(),
    method: "MUTATION",
    body,
    appointmentId: visit.id,
    expectedVersion: visit.version,
  });
  const made = (answer: CommandAnswer) => (answer.status === 200 ? 1 : 0);
  if (position % 19 === 3) {
    const input = { reasonCode: "PATIENT_REQUEST" as const };
    return made(await cancelAppointment(deps, call(input), input));
  }
  if (position % 17 === 5) {
    const input = { startsAt: new Date(Date.parse(visit.startsAt) + 86_400_000).toISOString(), reasonCode: "PATIENT_REQUEST" as const };
    return made(await rescheduleAppointment(deps, call(input), input));
  }
  if (visit.status === "REQUESTED" && position % 2 === 0) {
    const input = { to: "CONFIRMED" as const };
    return made(await changeStatus(deps, call(input), input));
  }
  return 0;
}

async function findClinics(migrator: Db, web: Db): Promise<Clinic[]> {
  const { clinics, desks, portals } = await withTx(migrator, {}, async (tx) => ({
    clinics: await tx.sql<
      { id: string; name: string; zone: string; tenant_group_id: string }[]
    >`select id, name, zone, tenant_group_id from clinics order by name`,
    desks: await tx.sql<{ clinic_id: string; user_id: string }[]>`
      select r.clinic_id, r.user_id
      from user_roles r
      join users u on u.id = r.user_id
      where r.role = 'FRONT_DESK' and u.email = any (${DEMO_USERS.map(({ email }) => email)}::text[])`,
    portals: await tx.sql<
      { id: string; tenant_group_id: string; api_client_id: string; ref: string; clinic_ids: string[]; commands: TokenActor["commands"] }[]
    >`
      select t.id, t.tenant_group_id, t.api_client_id, c.ref, t.clinic_ids, t.commands
      from api_tokens t
      join api_clients c on c.id = t.api_client_id
      where c.name = ${PORTAL}`,
  }));
  const found: Clinic[] = [];
  for (const { id, name, zone, tenant_group_id: tenantGroupId } of clinics) {
    const userId = desks.find((desk) => desk.clinic_id === id)?.user_id;
    const desk = userId && (await loadActor(web, { tenantGroupId, userId }));
    const token = portals.find((portal) => portal.tenant_group_id === tenantGroupId);
    if (!desk || !token) throw new Error(`the demo makes no front desk or portal for clinic ${id}`);
    const portal: TokenActor = {
      kind: "token",
      tenantGroupId,
      clinicIds: token.clinic_ids,
      clientId: token.api_client_id,
      tokenId: token.id,
      ref: token.ref,
      commands: token.commands,
    };
    found.push({ id, name, zone, tenantGroupId, desk, portal });
  }
  return found;
}
