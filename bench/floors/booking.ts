import { randomBytes } from "node:crypto";
import type postgres from "postgres";
import type { Booking, World } from "@/bench/lib/world";
import { newUuid } from "@/server/ids";

let refs = 0;

/** What both floors write: the values of every row of one booking, made up rather than decided. */
function rowsOf(world: World, booking: Booking) {
  const { clinic, doctor, patient, treatmentId, startsAt, endsAt, localDate, localStart, utcOffsetSeconds } = booking;
  const [appointmentId, commandId, eventId] = [newUuid(), newUuid(), newUuid()];
  const ref = `APT-${(refs++).toString(32).toUpperCase().padStart(6, "0")}`; // no two alike: the floor runs nothing again
  const payload = {
    appointmentId,
    appointmentRef: ref,
    version: "1",
    clinicId: clinic.id,
    change: "CREATED",
    fromStatus: null,
    toStatus: "CONFIRMED",
    localDate,
    fromLocalDate: null,
    startsAt,
    endsAt,
    fromStartsAt: null,
    doctorId: doctor.id,
    fromDoctorId: null,
    treatmentId,
    reasonCode: null,
  };
  const body = {
    id: appointmentId,
    ref,
    version: "1",
    status: "CONFIRMED",
    clinicId: clinic.id,
    patientId: patient.id,
    patientRef: patient.ref,
    doctorId: doctor.id,
    treatmentId,
    startsAt,
    endsAt,
    zone: clinic.zone,
    localDate,
    localStart,
    utcOffsetSeconds,
    equipmentIds: [],
    commandId,
  };
  return {
    tenant: world.tenantGroupId,
    clinicId: clinic.id,
    caller: `client:${world.actor.clientId}`,
    key: `floor-${eventId}`,
    digest: randomBytes(32).toString("hex"),
    actorId: world.actor.tokenId,
    actorRef: world.actor.ref,
    appointmentId,
    commandId,
    eventId,
    ref,
    booking,
    during: `[${startsAt},${endsAt})`,
    // the lower resource first, as every writer takes them
    resources: [doctor.resourceId, patient.resourceId].sort(),
    partitionKey: [world.tenantGroupId, clinic.id, appointmentId].map((part) => `${part.length}:${part}`).join("/"),
    payload: JSON.stringify(payload),
    body: JSON.stringify(body),
    location: `/api/v1/clinics/${clinic.id}/appointments/${appointmentId}`,
  };
}

/**
 * Floor 1 of booking: one transaction of the rows that a create writes, the claims trigger included, one statement for each table, awaited one by
 * one. No row-level security to satisfy (role migrator), no key to look up, no facts to read, nothing to decide. Answers the body.
 */
export async function bookOneByOne(bare: postgres.Sql, world: World, booking: Booking): Promise<string> {
  const row = rowsOf(world, booking);
  const { tenant, clinicId, caller, key, appointmentId, commandId, actorId, actorRef } = row;
  const { doctor, patient, treatmentId, startsAt, endsAt, localDate, localStart, utcOffsetSeconds } = booking;
  await bare.begin(async (sql) => {
    await sql`
      insert into idempotency_keys (tenant_group_id, clinic_id, caller, key, fingerprint, fingerprint_version, fingerprint_key_id, command_id, operation, expires_at)
      values (${tenant}, ${clinicId}, ${caller}, ${key}, ${row.digest}, 1, 'k1', ${commandId}, 'createAppointment', clock_timestamp() + interval '24 hours')`;
    await sql`
      insert into appointments (id, tenant_group_id, clinic_id, ref, status, patient_id, doctor_id, treatment_id, starts_at, ends_at, local_date, local_start,
        utc_offset_seconds, source, command_id)
      values (${appointmentId}, ${tenant}, ${clinicId}, ${row.ref}, 'CONFIRMED', ${patient.id}, ${doctor.id}, ${treatmentId}, ${startsAt}, ${endsAt},
        ${localDate}, ${localStart}, ${utcOffsetSeconds}, 'API', ${commandId})`;
    await sql`
      insert into resource_claims (tenant_group_id, clinic_id, appointment_id, resource_id, during)
      values (${tenant}, ${clinicId}, ${appointmentId}, ${row.resources[0] as string}, ${row.during}),
             (${tenant}, ${clinicId}, ${appointmentId}, ${row.resources[1] as string}, ${row.during})`;
    await sql`
      insert into appointment_history (tenant_group_id, clinic_id, appointment_id, version, command_id, change, to_status, to_starts_at, to_doctor_id,
        actor_kind, actor_id, actor_ref, source)
      values (${tenant}, ${clinicId}, ${appointmentId}, 1, ${commandId}, 'CREATED', 'CONFIRMED', ${startsAt}, ${doctor.id}, 'token', ${actorId}, ${actorRef}, 'API')`;
    await sql`
      insert into notification_intents (tenant_group_id, clinic_id, command_id, appointment_id, appointment_version, patient_id, kind)
      values (${tenant}, ${clinicId}, ${commandId}, ${appointmentId}, 1, ${patient.id}, 'BOOKED')`;
    await sql`
      insert into outbox (event_id, tenant_group_id, clinic_id, command_id, topic, partition_key, aggregate_type, aggregate_id, aggregate_seq, type,
        schema_version, payload)
      values (${row.eventId}, ${tenant}, ${clinicId}, ${commandId}, 'appointment.v1', ${row.partitionKey}, 'appointment', ${appointmentId}, 1,
        'AppointmentCreated', 1, ${row.payload}::jsonb)`;
    await sql`
      insert into command_calls (tenant_group_id, clinic_id, caller, key, operation, command_id, outcome, status, actor_kind, actor_id, request_id, duration_ms)
      values (${tenant}, ${clinicId}, ${caller}, ${key}, 'createAppointment', ${commandId}, 'FIRST', 201, 'token', ${actorId}, ${row.eventId}, 5)`;
    await sql`
      insert into audit_entries (tenant_group_id, clinic_id, actor_kind, actor_id, actor_ref, act, result, subject_type, subject_id, command_id, details)
      values (${tenant}, ${clinicId}, 'token', ${actorId}, ${actorRef}, 'appointment.created', 'DONE', 'appointment', ${appointmentId}, ${commandId},
        ${JSON.stringify({ ref: row.ref, status: "CONFIRMED" })}::jsonb)`;
    await sql`
      update idempotency_keys set status = 201, body = ${row.body}, location = ${row.location}, etag = '"1"', appointment_id = ${appointmentId}
      where tenant_group_id = ${tenant} and clinic_id = ${clinicId} and caller = ${caller} and key = ${key}`;
  });
  return row.body;
}

/** Floor 2 of booking: the same rows in one statement, the key with its answer at once. What is left is the database's own work and one commit. */
export async function bookInOneStatement(bare: postgres.Sql, world: World, booking: Booking): Promise<string> {
  const row = rowsOf(world, booking);
  const { tenant, clinicId, caller, key, appointmentId, commandId, actorId, actorRef } = row;
  const { doctor, patient, treatmentId, startsAt, endsAt, localDate, localStart, utcOffsetSeconds } = booking;
  await bare`
    with key as (
      insert into idempotency_keys (tenant_group_id, clinic_id, caller, key, fingerprint, fingerprint_version, fingerprint_key_id, command_id, operation,
        expires_at, status, body, location, etag, appointment_id)
      values (${tenant}, ${clinicId}, ${caller}, ${key}, ${row.digest}, 1, 'k1', ${commandId}, 'createAppointment', clock_timestamp() + interval '24 hours',
        201, ${row.body}, ${row.location}, '"1"', ${appointmentId})
    ), visit as (
      insert into appointments (id, tenant_group_id, clinic_id, ref, status, patient_id, doctor_id, treatment_id, starts_at, ends_at, local_date, local_start,
        utc_offset_seconds, source, command_id)
      values (${appointmentId}, ${tenant}, ${clinicId}, ${row.ref}, 'CONFIRMED', ${patient.id}, ${doctor.id}, ${treatmentId}, ${startsAt}, ${endsAt},
        ${localDate}, ${localStart}, ${utcOffsetSeconds}, 'API', ${commandId})
    ), claims as (
      insert into resource_claims (tenant_group_id, clinic_id, appointment_id, resource_id, during)
      values (${tenant}, ${clinicId}, ${appointmentId}, ${row.resources[0] as string}, ${row.during}),
             (${tenant}, ${clinicId}, ${appointmentId}, ${row.resources[1] as string}, ${row.during})
    ), history as (
      insert into appointment_history (tenant_group_id, clinic_id, appointment_id, version, command_id, change, to_status, to_starts_at, to_doctor_id,
        actor_kind, actor_id, actor_ref, source)
      values (${tenant}, ${clinicId}, ${appointmentId}, 1, ${commandId}, 'CREATED', 'CONFIRMED', ${startsAt}, ${doctor.id}, 'token', ${actorId}, ${actorRef}, 'API')
    ), intent as (
      insert into notification_intents (tenant_group_id, clinic_id, command_id, appointment_id, appointment_version, patient_id, kind)
      values (${tenant}, ${clinicId}, ${commandId}, ${appointmentId}, 1, ${patient.id}, 'BOOKED')
    ), event as (
      insert into outbox (event_id, tenant_group_id, clinic_id, command_id, topic, partition_key, aggregate_type, aggregate_id, aggregate_seq, type,
        schema_version, payload)
      values (${row.eventId}, ${tenant}, ${clinicId}, ${commandId}, 'appointment.v1', ${row.partitionKey}, 'appointment', ${appointmentId}, 1,
        'AppointmentCreated', 1, ${row.payload}::jsonb)
    ), call as (
      insert into command_calls (tenant_group_id, clinic_id, caller, key, operation, command_id, outcome, status, actor_kind, actor_id, request_id, duration_ms)
      values (${tenant}, ${clinicId}, ${caller}, ${key}, 'createAppointment', ${commandId}, 'FIRST', 201, 'token', ${actorId}, ${row.eventId}, 5)
    )
    insert into audit_entries (tenant_group_id, clinic_id, actor_kind, actor_id, actor_ref, act, result, subject_type, subject_id, command_id, details)
    values (${tenant}, ${clinicId}, 'token', ${actorId}, ${actorRef}, 'appointment.created', 'DONE', 'appointment', ${appointmentId}, ${commandId},
      ${JSON.stringify({ ref: row.ref, status: "CONFIRMED" })}::jsonb)`;
  return row.body;
}

/** The tables that one booking writes, one row each but two claims: a suite checks that product and floors wrote the same numbers. */
export const bookingTables = [
  "idempotency_keys",
  "appointments",
  "resource_claims",
  "appointment_history",
  "notification_intents",
  "outbox",
  "command_calls",
  "audit_entries",
] as const;
