import type postgres from "postgres";

/** Floor of the slots route: one doctor's free quarters of a week in one statement. No clinic hours, breaks, closures, absences, holidays, buffers, other resources. */
export const freeQuarters = (bare: postgres.Sql, resourceId: string, fromDate: string): Promise<{ starts_at: string }[]> =>
  bare<{ starts_at: string }[]>`
    with busy as materialized (
      select range_agg(during) as spans
      from resource_claims
      where resource_id = ${resourceId} and during && tstzrange(${fromDate}::date, ${fromDate}::date + 7)
    )
    select q as starts_at
    from busy, generate_series(${fromDate}::date::timestamptz, ${fromDate}::date + interval '7 days' - interval '15 minutes', interval '15 minutes') q
    where extract(hour from q) between 7 and 18
      and (busy.spans is null or not busy.spans && tstzrange(q, q + interval '15 minutes'))`;

/** Fetches the rows that a week of slots for a whole clinic is made from: one plain select for each table, all on their way at once. */
export async function fetchWeek(bare: postgres.Sql, clinicId: string, treatmentId: string, fromDate: string): Promise<number> {
  const answers = await bare.begin("read only", (sql) => {
    const week = sql`tstzrange(${fromDate}::date - interval '18 hours', ${fromDate}::date + interval '7 days 28 hours')`;
    return Promise.all([
      sql`select c.*, s.fact_version from clinics c join planning_scopes s on s.clinic_id = c.id where c.id = ${clinicId}`,
      sql`select d.*, r.seats as resource_seats from doctors d join resources r on r.id = d.resource_id where d.clinic_id = ${clinicId}`,
      sql`select * from clinic_hours where clinic_id = ${clinicId}`,
      sql`select * from doctor_hours where clinic_id = ${clinicId}`,
      sql`select * from breaks where clinic_id = ${clinicId}`,
      sql`select * from closures where clinic_id = ${clinicId} and during && ${week}`,
      sql`select * from absences where clinic_id = ${clinicId} and during && ${week}`,
      sql`select * from resource_outages where clinic_id = ${clinicId} and during && ${week}`,
      sql`select * from holidays where clinic_id = ${clinicId} and on_date between ${fromDate}::date - 2 and ${fromDate}::date + 9`,
      sql`select * from treatments where clinic_id = ${clinicId}`,
      sql`select * from treatment_needs where treatment_id = ${treatmentId}`,
      sql`
        select c.resource_id, c.appointment_id, a.ref, c.during, c.seats, c.overridden
        from doctors d
        join resource_claims c on c.resource_id = d.resource_id and c.during && ${week}
        join appointments a on a.id = c.appointment_id
        where d.clinic_id = ${clinicId}`,
    ]);
  });
  return answers.reduce((sum, rows) => sum + rows.length, 0);
}
