import type postgres from "postgres";
import { openBare } from "./database";
import type { Booking, World } from "./world";

/**
 * Visits with their claims, written past the trigger (superuser, replica mode): 100,000 in seconds. `bookings` must not clash; nothing checks it here.
 * Ends with ANALYZE, so that plans are those of a table that has been there for a while. `first`: how many there are already (for references).
 */
export async function fillAppointments(superuserUrl: string, world: World, bookings: Booking[], first = 0): Promise<void> {
  const sql = openBare(superuserUrl, 1);
  try {
    for (let from = 0; from < bookings.length; from += 10_000)
      await fillChunk(sql, world, bookings.slice(from, from + 10_000), first + from);
    await sql`analyze`;
  } finally {
    await sql.end();
  }
}

async function fillChunk(sql: postgres.Sql, world: World, bookings: Booking[], from: number): Promise<void> {
  const column = (of: (booking: Booking) => string | number) => bookings.map(of) as string[];
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      with wanted as (
        select w.*, uuidv7() as id
        from unnest(${column((b) => b.clinic.id)}::uuid[], ${column((b) => b.doctor.id)}::uuid[], ${column((b) => b.doctor.resourceId)}::uuid[],
          ${column((b) => b.patient.id)}::uuid[], ${column((b) => b.patient.resourceId)}::uuid[], ${column((b) => b.treatmentId)}::uuid[],
          ${column((b) => b.startsAt)}::text[], ${column((b) => b.endsAt)}::text[], ${column((b) => b.localDate)}::text[],
          ${column((b) => b.localStart)}::text[], ${column((b) => b.utcOffsetSeconds)}::int4[])
          with ordinality as w (clinic_id, doctor_id, doctor_resource, patient_id, patient_resource, treatment_id, starts_at, ends_at, local_date,
            local_start, utc_offset_seconds, n)
      ), visits as (
        insert into appointments (id, tenant_group_id, clinic_id, ref, status, patient_id, doctor_id, treatment_id, starts_at, ends_at, local_date,
          local_start, utc_offset_seconds, source, command_id)
        select id, ${world.tenantGroupId}::uuid, clinic_id, 'APT-' || lpad((n + ${from}::int4)::text, 6, '0'), 'CONFIRMED', patient_id, doctor_id,
          treatment_id, starts_at::timestamptz, ends_at::timestamptz, local_date::date, local_start::timestamp, utc_offset_seconds, 'IMPORT', uuidv7()
        from wanted
      )
      insert into resource_claims (tenant_group_id, clinic_id, appointment_id, resource_id, during)
      select ${world.tenantGroupId}::uuid, clinic_id, id, resource, tstzrange(starts_at::timestamptz, ends_at::timestamptz)
      from wanted, unnest(array[doctor_resource, patient_resource]) resource`;
  });
}

/** `count` PENDING outbox rows, one aggregate each, as a create would have left them: the relay's own contract check reads them. */
export async function fillOutbox(bare: postgres.Sql, world: World, count: number): Promise<void> {
  const { id: clinicId, doctors, treatmentId } = world.clinics[0] as World["clinics"][number];
  await bare`
    insert into outbox (tenant_group_id, clinic_id, command_id, topic, partition_key, aggregate_type, aggregate_id, aggregate_seq, type, schema_version, payload)
    select ${world.tenantGroupId}::uuid, ${clinicId}::uuid, uuidv7(), 'appointment.v1',
           '36:' || ${world.tenantGroupId}::text || '/36:' || ${clinicId}::text || '/36:' || a.id, 'appointment', a.id, 1, 'AppointmentCreated', 1,
           jsonb_build_object('appointmentId', a.id, 'appointmentRef', 'APT-' || lpad(n::text, 6, '0'), 'version', '1', 'clinicId', ${clinicId}::text,
             'change', 'CREATED', 'fromStatus', null, 'toStatus', 'CONFIRMED', 'localDate', '2027-03-01', 'fromLocalDate', null,
             'startsAt', '2027-03-01T08:00:00Z', 'endsAt', '2027-03-01T08:15:00Z', 'fromStartsAt', null, 'doctorId', ${doctors[0]?.id ?? ""}::text,
             'fromDoctorId', null, 'treatmentId', ${treatmentId}::text, 'reasonCode', null)
    from generate_series(1, ${count}::int4) n, lateral (select uuidv7() as id where n > 0) a`;
  await bare`analyze outbox`;
}

/** Marks every row of the outbox as the relay does. */
export async function publishAll(bare: postgres.Sql): Promise<void> {
  await bare`update outbox set state = 'PUBLISHED', published_at = clock_timestamp(), log_id = 'bench', log_partition = 0, log_offset = 0`;
  await bare`vacuum analyze outbox`;
}

/** One PROCESSED row and its delivery for each published event and consumer, as the consumers leave them. */
export async function consumeAll(bare: postgres.Sql, consumers: string[]): Promise<void> {
  await bare`
    with done as (
      insert into inbox (tenant_group_id, clinic_id, consumer, event_id, command_id, event_type, schema_version, aggregate_type, aggregate_id,
        aggregate_seq, content_digest, digest_key_id, log_id, topic, partition, first_offset, last_partition, last_offset, state, attempts, attempts_max,
        effect, processed_at)
      select tenant_group_id, clinic_id, consumer, event_id, command_id, type, schema_version, aggregate_type, aggregate_id, aggregate_seq,
        repeat('0', 64), 'k1', log_id, topic, 0, 0, 0, 0, 'PROCESSED', 1, 5, 'APPLIED', clock_timestamp()
      from outbox, unnest(${consumers}::text[]) consumer
      where state = 'PUBLISHED'
      returning tenant_group_id, clinic_id, id, consumer, event_id, command_id
    )
    insert into inbox_deliveries (tenant_group_id, clinic_id, inbox_id, consumer, event_id, command_id, attempt, fence, outcome, log_id, partition, "offset",
      worker, started_at, duration_ms)
    select tenant_group_id, clinic_id, id, consumer, event_id, command_id, 1, 1, 'PROCESSED', 'bench', 0, 0, 'bench', clock_timestamp(), 1
    from done`;
  await bare`vacuum analyze inbox`;
  await bare`vacuum analyze inbox_deliveries`;
}
