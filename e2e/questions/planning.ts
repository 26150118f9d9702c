import { lookAtRows } from "@/db/testing/e2e-world";

/** Where a visit is: the clinic's wall clock and the doctor's name. */
export const placeOf = (ref: string): Promise<{ at: string; doctor: string; version: string }> =>
  lookAtRows(async ({ sql }) => {
    const [row] = await sql<{ at: string; doctor: string; version: string }[]>`
      select to_char(a.local_start, 'YYYY-MM-DD HH24:MI') as at, d.name as doctor, a.version::text as version
      from appointments a join doctors d on d.id = a.doctor_id
      where a.ref = ${ref}`;
    if (!row) throw new Error(`no appointment ${ref}`);
    return { ...row };
  });

/** Messages about a visit that tell a new time, by state. */
export const newTimeMessages = (ref: string): Promise<string[]> =>
  lookAtRows(async ({ sql }) => {
    const rows = await sql<{ state: string }[]>`
      select n.state from notification_intents n join appointments a on a.id = n.appointment_id where a.ref = ${ref} and n.kind = 'MOVED'`;
    return rows.map(({ state }) => state);
  });

/** What is stored of a run: state, rows that its last apply wrote, and the run that took its place. */
export const runOf = (ref: string): Promise<{ state: string; written: number | null; next: string | null }> =>
  lookAtRows(async ({ sql }) => {
    const [row] = await sql<{ state: string; written: number | null; next: string | null }[]>`
      select r.state, (select a.written from planning_apply_attempts a where a.run_id = r.id order by a.attempt desc limit 1) as written,
        (select n.ref from planning_runs n where n.previous_run_id = r.id limit 1) as next
      from planning_runs r where r.ref = ${ref}`;
    if (!row) throw new Error(`no run ${ref}`);
    return { ...row };
  });
