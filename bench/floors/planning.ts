import type postgres from "postgres";

/** The rows that a plan of these dates is calculated from: one plain select for each table, all on their way at once. */
export async function fetchPlanRows(bare: postgres.Sql, clinicId: string, fromDate: string, days: number): Promise<number> {
  const answers = await bare.begin("isolation level repeatable read read only", (sql) => {
    const range = sql`tstzrange(${fromDate}::date - interval '18 hours', ${fromDate}::date + ${days} * interval '1 day' + interval '32 hours')`;
    const visits = sql`a.clinic_id = ${clinicId} and a.local_date >= ${fromDate}::date and a.local_date < ${fromDate}::date + ${days}::int4`;
    return Promise.all([
      sql`select c.*, s.fact_version from clinics c join planning_scopes s on s.clinic_id = c.id where c.id = ${clinicId}`,
      sql`select d.*, r.seats as resource_seats from doctors d join resources r on r.id = d.resource_id where d.clinic_id = ${clinicId}`,
      sql`select * from clinic_hours where clinic_id = ${clinicId}`,
      sql`select * from doctor_hours where clinic_id = ${clinicId}`,
      sql`select * from breaks where clinic_id = ${clinicId}`,
      sql`select * from closures where clinic_id = ${clinicId} and during && ${range}`,
      sql`select * from absences where clinic_id = ${clinicId} and during && ${range}`,
      sql`select * from resource_outages where clinic_id = ${clinicId} and during && ${range}`,
      sql`select * from holidays where clinic_id = ${clinicId}`,
      sql`select * from equipment where clinic_id = ${clinicId}`,
      sql`select * from treatments where clinic_id = ${clinicId}`,
      sql`select * from treatment_needs where clinic_id = ${clinicId}`,
      sql`select * from treatment_need_options where clinic_id = ${clinicId}`,
      sql`select * from planning_weights where clinic_id = ${clinicId}`,
      sql`select a.*, p.resource_id from appointments a join patients p on p.id = a.patient_id where ${visits}`,
      sql`select e.* from appointment_equipment e join appointments a on a.id = e.appointment_id where ${visits}`,
      sql`
        select c.* from resource_claims c
        where c.during && ${range} and (c.resource_id in (select resource_id from doctors where clinic_id = ${clinicId})
          or c.resource_id in (select p.resource_id from patients p join appointments a on a.patient_id = p.id where ${visits}))`,
    ]);
  });
  return answers.reduce((sum, rows) => sum + rows.length, 0);
}

export type FloorMove = {
  id: string;
  patientId: string;
  patientResource: string;
  doctorId: string;
  doctorResource: string;
  startsAt: string;
  endsAt: string;
  localDate: string;
  localStart: string;
  utcOffsetSeconds: number;
};

/** The rows that an apply writes for these visits, in every table, set-based and in one transaction; nothing is compared and nothing is locked before. */
export async function writeMoves(
  bare: postgres.Sql,
  { tenantGroupId, clinicId, actorRef }: { tenantGroupId: string; clinicId: string; actorRef: string },
  moves: FloorMove[],
): Promise<void> {
  const column = (of: (move: FloorMove) => string | number) => moves.map(of) as string[];
  const [ids, starts, ends] = [column((m) => m.id), column((m) => m.startsAt), column((m) => m.endsAt)];
  await bare.begin(async (sql) => {
    const [{ command_id: commandId }] = (await sql`select uuidv7() as command_id`) as [{ command_id: string }];
    await sql`
      update appointments a
      set version = a.version + 1, placement_version = a.placement_version + 1, starts_at = w.starts_at, ends_at = w.ends_at, local_date = w.local_date,
          local_start = w.local_start::timestamp, utc_offset_seconds = w.utc_offset_seconds, command_id = ${commandId}, updated_at = clock_timestamp()
      from unnest(${ids}::uuid[], ${starts}::timestamptz[], ${ends}::timestamptz[], ${column((m) => m.localDate)}::date[],
        ${column((m) => m.localStart)}::text[], ${column((m) => m.utcOffsetSeconds)}::int4[])
        as w (id, starts_at, ends_at, local_date, local_start, utc_offset_seconds)
      where a.id = w.id`;
    await sql`delete from resource_claims where appointment_id = any (${ids}::uuid[])`;
    await sql`
      insert into resource_claims (tenant_group_id, clinic_id, appointment_id, resource_id, during)
      select ${tenantGroupId}, ${clinicId}, w.id, held.resource_id, tstzrange(w.starts_at, w.ends_at)
      from unnest(${ids}::uuid[], ${column((m) => m.doctorResource)}::uuid[], ${column((m) => m.patientResource)}::uuid[], ${starts}::timestamptz[],
        ${ends}::timestamptz[]) as w (id, doctor, patient, starts_at, ends_at), unnest(array[w.doctor, w.patient]) as held (resource_id)
      order by held.resource_id`;
    await sql`
      insert into appointment_history (tenant_group_id, clinic_id, appointment_id, version, command_id, change, from_status, to_status, from_starts_at,
        to_starts_at, from_doctor_id, to_doctor_id, actor_kind, actor_id, actor_ref, source)
      select a.tenant_group_id, a.clinic_id, a.id, a.version, ${commandId}, 'RESCHEDULED', a.status, a.status, a.starts_at, a.starts_at, a.doctor_id,
        a.doctor_id, 'person', 'floor', ${actorRef}, 'DESK'
      from appointments a where a.id = any (${ids}::uuid[])`;
    await sql`
      insert into outbox (tenant_group_id, clinic_id, command_id, topic, partition_key, aggregate_type, aggregate_id, aggregate_seq, type, schema_version,
        payload)
      select a.tenant_group_id, a.clinic_id, ${commandId}, 'appointment.v1', a.id::text, 'appointment', a.id, a.version, 'AppointmentRescheduled', 1,
        jsonb_build_object('appointmentId', a.id, 'appointmentRef', a.ref, 'version', a.version::text, 'clinicId', a.clinic_id, 'change', 'RESCHEDULED',
          'fromStatus', a.status, 'toStatus', a.status, 'localDate', a.local_date, 'fromLocalDate', a.local_date, 'startsAt', a.starts_at,
          'endsAt', a.ends_at, 'fromStartsAt', a.starts_at, 'doctorId', a.doctor_id, 'fromDoctorId', a.doctor_id, 'treatmentId', a.treatment_id,
          'reasonCode', 'CLINIC_REQUEST')
      from appointments a where a.id = any (${ids}::uuid[])`;
    await sql`
      insert into notification_intents (tenant_group_id, clinic_id, command_id, appointment_id, appointment_version, patient_id, kind)
      select a.tenant_group_id, a.clinic_id, ${commandId}, a.id, a.version, a.patient_id, 'MOVED' from appointments a where a.id = any (${ids}::uuid[])`;
    await sql`
      insert into audit_entries (tenant_group_id, clinic_id, actor_kind, actor_id, actor_ref, act, result)
      values (${tenantGroupId}, ${clinicId}, 'person', 'floor', ${actorRef}, 'planning.applied', 'DONE')`;
  });
}
