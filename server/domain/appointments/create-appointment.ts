import type { Tx } from "@/db/client";
import { AppError } from "@/server/app-error";
import type { ClinicFacts, Placement } from "@/server/domain/clinics/types";
import { runCommand } from "@/server/domain/idempotency/run-command";
import type { Answer, CommandAnswer, CommandDeps } from "@/server/domain/idempotency/types";
import { intentKindFor, recordIntentSql } from "@/server/domain/notifications/record-intent";
import { appendEventSql } from "@/server/domain/outbox/append-event";
import { addReferencedPatient } from "@/server/domain/patients/add-referenced-patient";
import { mayCommand } from "@/server/domain/scope/actor";
import { newRef, newUuid } from "@/server/ids";
import { type CommandCall, toCommand } from "./command-call";
import { appointmentEvent, type Standing } from "./events";
import { findPlacement, rivalOrRethrow } from "./find-placement";
import { missingToBook } from "./next-actions";
import type { AppointmentView, CreateAppointment } from "./types";
import { etagOf, pathOf } from "./view";
import { insertClaimsSql, insertEquipmentSql, insertHistorySql, sourceOf } from "./write-parts";

/** Statements of the usual create between BEGIN and COMMIT: key, savepoint, scope lock, facts, the visit with all its parts, answer. A test counts. */
export const createRoundTrips = 6;

/**
 * Books a visit: 201 with its view and Location, or a stored refusal (slot-taken, not-available, subject-invalid).
 * The desk's bookings are CONFIRMED; a token's wait as REQUESTED unless it may confirm.
 * Throws AppError right-missing, as a second fence: the edge has checked it before it looked at the key.
 */
export function createAppointment(deps: CommandDeps, call: CommandCall, input: CreateAppointment): Promise<CommandAnswer> {
  return runCommand(deps, toCommand("createAppointment", call), (tx, { commandId }) => book(tx, call, input, commandId));
}

async function book(tx: Tx, call: CommandCall, input: CreateAppointment, commandId: string): Promise<Answer> {
  const { actor, clinicId } = call;
  const right = missingToBook(actor, clinicId);
  if (right) throw new AppError("right-missing", undefined, { right });
  const patientId = await lockScopeAndFindPatient(tx, call, input.patient);
  const { treatmentId, doctorId, startsAt } = input;
  const { placement, facts } = await findPlacement(tx, actor, { clinicId, treatmentId, doctorId, patientId, startsAt });
  const visit = newVisit(call, input, commandId, patientId, facts, placement);
  await insertVisit(tx, call, visit, placement, input.note ?? null).catch((error) => rivalOrRethrow(error, facts, placement));
  return {
    status: 201,
    body: visit,
    location: pathOf(clinicId, visit.id),
    etag: etagOf(visit.version),
    appointmentId: visit.id,
    audit: {
      act: "appointment.created",
      subjectType: "appointment",
      subjectId: visit.id,
      details: { ref: visit.ref, status: visit.status },
      ...(actor.kind === "person" ? { role: "FRONT_DESK" as const } : {}),
    },
  };
}

/**
 * First statement of the work. The shared lock meets every writer of the clinic's facts: a closure saved at this moment is either seen by the
 * facts read next, or sees this visit.
 */
async function lockScopeAndFindPatient(tx: Tx, { actor, clinicId }: CommandCall, patient: CreateAppointment["patient"]): Promise<string> {
  const reference = "externalReference" in patient ? patient.externalReference : null;
  const [row] = await tx.sql`
    select (select p.id from patients p where p.tenant_group_id = ${actor.tenantGroupId} and p.external_reference = ${reference}) as patient_id
    from planning_scopes
    where tenant_group_id = ${actor.tenantGroupId} and clinic_id = ${clinicId}
    for share`;
  if (!row) throw new AppError("not-found");
  if (reference === null) return (patient as { id: string }).id;
  return (row.patient_id as string | null) ?? addReferencedPatient(tx, actor.tenantGroupId, reference);
}

type NewVisit = AppointmentView & { commandId: string };

function newVisit(
  { actor, clinicId }: CommandCall,
  input: CreateAppointment,
  commandId: string,
  patientId: string,
  facts: ClinicFacts,
  placement: Placement,
): NewVisit {
  const isConfirmed = actor.kind !== "token" || mayCommand(actor, "appointments:confirm");
  return {
    id: newUuid(),
    ref: newRef("APT"),
    version: "1",
    status: isConfirmed ? "CONFIRMED" : "REQUESTED",
    clinicId,
    patientId,
    patientRef: facts.patient?.ref ?? "",
    doctorId: placement.doctorId,
    treatmentId: input.treatmentId,
    startsAt: placement.startsAt,
    endsAt: placement.endsAt,
    zone: facts.clinic.zone,
    localDate: placement.localDate,
    localStart: placement.localStart,
    utcOffsetSeconds: placement.utcOffsetSeconds,
    equipmentIds: placement.equipment.map((use) => use.equipmentId),
    commandId,
  };
}

/** The visit with equipment, claims, history, message and event in one statement: one round trip, and no place in between to be cut at. */
async function insertVisit(tx: Tx, call: CommandCall, visit: NewVisit, placement: Placement, note: string | null): Promise<void> {
  const { actor } = call;
  const owner = { tenantGroupId: actor.tenantGroupId, clinicId: visit.clinicId, appointmentId: visit.id };
  const { commandId, version } = visit;
  const source = sourceOf(actor);
  const to: Standing = visit;
  const kind = intentKindFor({ change: "CREATED", fromStatus: null, toStatus: visit.status, source });
  const intent = kind && { ...owner, commandId, appointmentVersion: version, patientId: visit.patientId, kind };
  const event = {
    commandId,
    tenantGroupId: owner.tenantGroupId,
    clinicId: owner.clinicId,
    topic: "appointment.v1",
    traceparent: call.traceparent,
    aggregateType: "appointment",
    aggregateId: visit.id,
    aggregateSeq: version,
    ...appointmentEvent(visit, "CREATED", null, to, null),
  };
  await tx.sql`
    with visit as (
      insert into appointments (id, tenant_group_id, clinic_id, ref, status, patient_id, doctor_id, treatment_id, starts_at, ends_at,
        local_date, local_start, utc_offset_seconds, source, command_id)
      values (${visit.id}, ${owner.tenantGroupId}, ${owner.clinicId}, ${visit.ref}, ${visit.status}, ${visit.patientId}, ${visit.doctorId},
        ${visit.treatmentId}, ${visit.startsAt}, ${visit.endsAt}, ${visit.localDate}, ${visit.localStart}, ${visit.utcOffsetSeconds},
        ${source}, ${commandId})
    ), used as (${insertEquipmentSql(tx, owner, placement.equipment)}
    ), claims as (${insertClaimsSql(tx, owner, placement.claims)}
    ), history as (${insertHistorySql(tx, owner, { version, commandId, change: "CREATED", from: null, to, actor, reasonCode: null, note })}
    ), intent as (${recordIntentSql(tx, intent)}
    ), event as (${appendEventSql(tx, event)})
    select 1 as one`;
}
