import type { Tx } from "@/db/client";
import type { Placement } from "@/server/domain/clinics/types";
import type { Answer } from "@/server/domain/idempotency/types";
import { intentKindFor, recordIntentSql } from "@/server/domain/notifications/record-intent";
import { appendEventSql } from "@/server/domain/outbox/append-event";
import type { ChangeCall } from "./command-call";
import { appointmentEvent, type Change, type Standing } from "./events";
import { type LockedVisit, standingOf } from "./lock-visit";
import { type AppointmentState, holdsClaims } from "./states";
import { etagOf, pathOf, toView } from "./view";
import { insertClaimsSql, insertEquipmentSql, insertHistorySql, sourceOf } from "./write-parts";

export type VisitChange = {
  change: Change;
  to: AppointmentState;
  /** A new time, doctor or equipment. */
  placement?: Placement;
  /** What the visit takes when it has given its claims back and needs them again (undo). */
  retakes?: Placement["claims"];
  reasonCode?: string | undefined;
  note?: string | undefined;
};

/**
 * One step of a locked visit's version in one statement: the row, its claims and equipment, one history row, one event, at most one message.
 * Old claims go and new ones come in the same statement, and the trigger looks when both are done: a visit never blocks itself.
 * @returns the answer of the command, with the visit as it is then
 */
export async function writeChange(tx: Tx, call: ChangeCall, visit: LockedVisit, commandId: string, wanted: VisitChange): Promise<Answer> {
  const { actor } = call;
  const { placement } = wanted;
  const owner = { tenantGroupId: actor.tenantGroupId, clinicId: visit.clinic_id, appointmentId: visit.id };
  const version = String(BigInt(visit.version) + 1n);
  const from = standingOf(visit);
  const to: Standing = { ...from, ...(placement && standingIn(placement)), status: wanted.to };
  const leavesClaims = holdsClaims[visit.status] && !holdsClaims[wanted.to];
  const reasonCode = wanted.reasonCode ?? null;
  const kind = intentKindFor({ change: wanted.change, fromStatus: visit.status, toStatus: wanted.to, source: sourceOf(actor) });
  const event = {
    commandId,
    tenantGroupId: owner.tenantGroupId,
    clinicId: owner.clinicId,
    topic: "appointment.v1",
    traceparent: call.traceparent,
    aggregateType: "appointment",
    aggregateId: visit.id,
    aggregateSeq: version,
    ...appointmentEvent(
      { id: visit.id, ref: visit.ref, version, clinicId: owner.clinicId, treatmentId: visit.treatment_id },
      wanted.change,
      from,
      to,
      reasonCode,
    ),
  };
  const rows = await tx.sql`
    with visit as (
      update appointments
      set version = version + 1, placement_version = placement_version + ${placement || leavesClaims ? 1 : 0}::int, status = ${wanted.to},
          doctor_id = ${to.doctorId}, starts_at = ${to.startsAt}, ends_at = ${to.endsAt}, local_date = ${to.localDate},
          local_start = ${placement?.localStart ?? visit.local_start},
          utc_offset_seconds = ${placement?.utcOffsetSeconds ?? visit.utc_offset_seconds},
          command_id = ${commandId}, updated_at = clock_timestamp()
      where id = ${visit.id} and version = ${visit.version}
      returning id
    ), dropped as (
      delete from resource_claims
      where appointment_id = ${visit.id} and ${placement !== undefined || !holdsClaims[wanted.to]}::boolean
    ), freed as (
      delete from appointment_equipment
      where appointment_id = ${visit.id} and ${placement !== undefined}::boolean
    ), used as (${insertEquipmentSql(tx, owner, placement?.equipment ?? [])}
    ), claims as (${insertClaimsSql(tx, owner, placement?.claims ?? wanted.retakes ?? [])}
    ), history as (${insertHistorySql(tx, owner, { version, commandId, change: wanted.change, from, to, actor, reasonCode, note: wanted.note ?? null })}
    ), intent as (${recordIntentSql(tx, kind && { ...owner, commandId, appointmentVersion: version, patientId: visit.patient_id, kind })}
    ), event as (${appendEventSql(tx, event)})
    select id from visit`;
  if (rows.length !== 1) throw new Error("a locked visit changed under its lock");
  return changed(call, visit, commandId, version, wanted, to);
}

function changed(call: ChangeCall, visit: LockedVisit, commandId: string, version: string, wanted: VisitChange, to: Standing): Answer {
  const { placement } = wanted;
  const view = {
    ...toView(visit),
    ...to,
    version,
    ...(placement && {
      localStart: placement.localStart,
      utcOffsetSeconds: placement.utcOffsetSeconds,
      equipmentIds: placement.equipment.map((use) => use.equipmentId),
    }),
  };
  return answerWith(call, { ...view, commandId }, acts[wanted.change], { from: visit.status, to: wanted.to });
}

const standingIn = ({ doctorId, startsAt, endsAt, localDate }: Placement) => ({ doctorId, startsAt, endsAt, localDate });

/** The command was well and changed nothing: no version, no event, no message; the answer says how the visit is. */
export function unchanged(call: ChangeCall, visit: LockedVisit, commandId: string): Answer {
  const answer = answerWith(call, { ...toView(visit), commandId }, "appointment.unchanged", {});
  return { ...answer, audit: { ...answer.audit, result: "NO_CHANGE" } };
}

const acts: Record<Change, string> = {
  CREATED: "appointment.created",
  RESCHEDULED: "appointment.rescheduled",
  CANCELLED: "appointment.cancelled",
  STATUS_CHANGED: "appointment.status-changed",
};

function answerWith(
  { actor }: ChangeCall,
  body: ReturnType<typeof toView> & { commandId: string },
  act: string,
  details: Record<string, string>,
): Answer {
  return {
    status: 200,
    body,
    location: pathOf(body.clinicId, body.id),
    etag: etagOf(body.version),
    appointmentId: body.id,
    audit: {
      act,
      subjectType: "appointment",
      subjectId: body.id,
      details: { ref: body.ref, version: body.version, ...details },
      ...(actor.kind === "person" ? { role: "FRONT_DESK" as const } : {}),
    },
  };
}
