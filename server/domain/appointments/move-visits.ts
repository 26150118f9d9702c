import type { Tx } from "@/db/client";
import type { Placement } from "@/server/domain/clinics/types";
import { type Intent, intentKindFor, recordIntentsSql } from "@/server/domain/notifications/record-intent";
import { appendEventsSql, type NewEvent } from "@/server/domain/outbox/append-event";
import { type Actor, actorIdentity, type Role } from "@/server/domain/scope/actor";
import { appointmentEvent, type Standing } from "./events";
import { type AppointmentState, reschedulable } from "./states";
import { sourceOf } from "./write-parts";

/** A visit as its locked row says it is, with the place that it gets. */
export type VisitMove = {
  visit: { id: string; ref: string; version: string; patientId: string; treatmentId: string } & Standing;
  placement: Placement;
};
export type MoveCall = {
  actor: Actor;
  tenantGroupId: string;
  clinicId: string;
  /** One command moves them all. */
  commandId: string;
  /** The role that allowed it; null for a worker. */
  role: Role | null;
  reasonCode: string | null;
  traceparent?: string | undefined;
};

/**
 * Moves many locked visits in one statement, each by its compare-and-set: one version, history row, event and message for every visit that is moved.
 * All old claims go and all new ones come before the trigger looks, so visits may change places with each other; the claims are written in the order of
 * the resources, as every writer does. A status stays as it is, but a visit that waited for a new time is CONFIRMED.
 * @returns how many visits still had the version that was expected; when that is not all of them, the caller must undo the statement
 */
export async function moveVisits(tx: Tx, call: MoveCall, moves: readonly VisitMove[]): Promise<number> {
  const { actor, tenantGroupId, clinicId, commandId, reasonCode } = call;
  const { kind: actorKind, id: actorId, ref: actorRef } = actorIdentity(actor);
  const rows = moves.map((move) => rowOf(call, move));
  const equipment = rows.flatMap(({ id, placement }) => placement.equipment.map((use) => ({ id, ...use })));
  const claims = rows.flatMap(({ id, placement }) => placement.claims.map((claim) => ({ id, ...claim })));
  const ids = rows.map(({ id }) => id);
  const moved = await tx.sql`
    with wanted as materialized (
      select *
      from unnest(${ids}::uuid[], ${rows.map((row) => row.expectedVersion)}::int8[], ${rows.map((row) => row.to.status)}::text[],
        ${rows.map((row) => row.to.doctorId)}::uuid[], ${rows.map((row) => row.to.startsAt)}::timestamptz[],
        ${rows.map((row) => row.to.endsAt)}::timestamptz[], ${rows.map((row) => row.to.localDate)}::date[],
        ${rows.map((row) => row.placement.localStart)}::text[], ${rows.map((row) => row.placement.utcOffsetSeconds)}::int4[],
        ${rows.map((row) => row.from.status)}::text[], ${rows.map((row) => row.from.doctorId)}::uuid[],
        ${rows.map((row) => row.from.startsAt)}::timestamptz[])
        as w (id, version, status, doctor_id, starts_at, ends_at, local_date, local_start, utc_offset_seconds, from_status, from_doctor_id,
          from_starts_at)
    ), visit as (
      update appointments a
      set version = a.version + 1, placement_version = a.placement_version + 1, status = w.status, doctor_id = w.doctor_id,
          starts_at = w.starts_at, ends_at = w.ends_at, local_date = w.local_date, local_start = w.local_start::timestamp,
          utc_offset_seconds = w.utc_offset_seconds, command_id = ${commandId}, updated_at = clock_timestamp()
      from wanted w
      where a.id = w.id and a.version = w.version
      returning a.id
    ), dropped as (
      delete from resource_claims where appointment_id = any (${ids}::uuid[])
    ), freed as (
      delete from appointment_equipment where appointment_id = any (${ids}::uuid[])
    ), used as (
      insert into appointment_equipment (tenant_group_id, clinic_id, appointment_id, equipment_id, during)
      select ${tenantGroupId}::uuid, ${clinicId}::uuid, u.appointment_id, u.equipment_id, u.during::tstzrange
      from unnest(${equipment.map(({ id }) => id)}::uuid[], ${equipment.map(({ equipmentId }) => equipmentId)}::uuid[],
        ${equipment.map(({ during }) => during)}::text[]) with ordinality as u (appointment_id, equipment_id, during, position)
      order by u.position
    ), claims as (
      insert into resource_claims (tenant_group_id, clinic_id, appointment_id, resource_id, during, seats)
      select ${tenantGroupId}::uuid, ${clinicId}::uuid, c.appointment_id, c.resource_id, tstzrange(c.starts, c.ends), c.seats
      from unnest(${claims.map(({ id }) => id)}::uuid[], ${claims.map(({ resourceId }) => resourceId)}::uuid[],
        ${claims.map(({ fromIso }) => fromIso)}::timestamptz[], ${claims.map(({ untilIso }) => untilIso)}::timestamptz[],
        ${claims.map(({ seats }) => seats)}::int4[]) as c (appointment_id, resource_id, starts, ends, seats)
      order by c.resource_id
    ), history as (
      insert into appointment_history (tenant_group_id, clinic_id, appointment_id, version, command_id, change, from_status, to_status,
        from_starts_at, to_starts_at, from_doctor_id, to_doctor_id, actor_kind, actor_id, actor_ref, actor_role, source, reason_code)
      select ${tenantGroupId}::uuid, ${clinicId}::uuid, w.id, w.version + 1, ${commandId}::uuid, 'RESCHEDULED', w.from_status, w.status,
        w.from_starts_at, w.starts_at, w.from_doctor_id, w.doctor_id, ${actorKind}, ${actorId}, ${actorRef}, ${call.role}, ${sourceOf(actor)},
        ${reasonCode}
      from wanted w
    ), intent as (
      ${recordIntentsSql(
        tx,
        rows.flatMap(({ intent }) => intent ?? []),
      )}
    ), event as (
      ${appendEventsSql(
        tx,
        rows.map(({ event }) => event),
      )}
    )
    select id from visit`;
  return moved.length;
}

/** Everything that one visit's move writes, as plain values; the event is held against its contract where it is written. */
function rowOf({ actor, tenantGroupId, clinicId, commandId, reasonCode, traceparent }: MoveCall, { visit, placement }: VisitMove) {
  const version = String(BigInt(visit.version) + 1n);
  const from: Standing = standing(visit);
  const to: Standing = { ...standing({ ...visit, ...placement }), status: statusAfter(visit.status) };
  const subject = { id: visit.id, ref: visit.ref, version, clinicId, treatmentId: visit.treatmentId };
  const event: NewEvent = {
    commandId,
    tenantGroupId,
    clinicId,
    topic: "appointment.v1",
    aggregateType: "appointment",
    aggregateId: visit.id,
    aggregateSeq: version,
    traceparent,
    ...appointmentEvent(subject, "RESCHEDULED", from, to, reasonCode),
  };
  const change = { change: "RESCHEDULED", fromStatus: from.status, toStatus: to.status, source: sourceOf(actor) };
  const kind = intentKindFor(change);
  const intent: Intent | null = kind && {
    tenantGroupId,
    clinicId,
    commandId,
    appointmentId: visit.id,
    appointmentVersion: version,
    patientId: visit.patientId,
    kind,
  };
  return { id: visit.id, expectedVersion: visit.version, from, to, placement, intent, event };
}

function statusAfter(status: AppointmentState): AppointmentState {
  const after = reschedulable[status];
  if (!after) throw new Error(`a visit in ${status} cannot be moved`);
  return after;
}

const standing = ({ status, doctorId, startsAt, endsAt, localDate }: Standing): Standing => ({
  status,
  doctorId,
  startsAt,
  endsAt,
  localDate,
});
