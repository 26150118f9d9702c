import { lookAtRows } from "@/db/testing/e2e-world";

/** How often a command arrived under its key, and what it changed, counted from the stored records. */
export function recordsOf(ref: string): Promise<{ calls: string[]; changes: number; appointments: number }> {
  return lookAtRows(async ({ sql }) => {
    const [visit] = await sql<{ command_id: string }[]>`
      select h.command_id
      from appointments a
      join appointment_history h on h.appointment_id = a.id and h.version = 1
      where a.ref = ${ref}`;
    if (!visit) throw new Error(`no appointment ${ref}`);
    const calls = await sql<{ outcome: string }[]>`
      select outcome from command_calls where command_id = ${visit.command_id} order by called_at`;
    const [counted] = await sql<{ changes: number; appointments: number }[]>`
      select count(*)::int as changes, count(distinct appointment_id)::int as appointments
      from appointment_history
      where command_id = ${visit.command_id}`;
    return { calls: calls.map((call) => call.outcome), changes: counted?.changes ?? 0, appointments: counted?.appointments ?? 0 };
  });
}

export function statusOf(ref: string): Promise<string | undefined> {
  return lookAtRows(async ({ sql }) => (await sql<{ status: string }[]>`select status from appointments where ref = ${ref}`)[0]?.status);
}

/** The stored instant of a visit, "2027-10-31T01:20:00Z". */
export function startOf(ref: string): Promise<string | undefined> {
  return lookAtRows(async ({ sql }) => {
    const [row] = await sql<{ at: string }[]>`
      select to_char(starts_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at from appointments where ref = ${ref}`;
    return row?.at;
  });
}

/** Visits of all clinics: a refused or cut command must not add one. */
export function countOfAppointments(): Promise<number> {
  return lookAtRows(async ({ sql }) => (await sql<{ n: number }[]>`select count(*)::int as n from appointments`)[0]?.n ?? 0);
}
