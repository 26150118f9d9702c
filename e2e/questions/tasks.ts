import { lookAtRows } from "@/db/testing/e2e-world";

/** What STAFF did about a row: its task, every note, every act in the audit and every call. */
export function workOn(id: string) {
  return lookAtRows(async ({ sql }) => {
    const [task] = await sql<{ status: string; assignee_ref: string | null; kept_reason: string | null }[]>`
      select status, assignee_ref, kept_reason from delivery_tasks where row_id = ${id}`;
    const notes = await sql<
      { act: string; text: string | null }[]
    >`select act, text from delivery_notes where row_id = ${id} order by at, id`;
    const audited = await sql<{ act: string; result: string }[]>`
      select act, result from audit_entries where subject_id = ${id} and act <> 'evidence.viewed' order by at, id`;
    return {
      task: task && { ...task },
      notes: notes.map(({ act, text }) => (text ? `${act}: ${text}` : act)),
      audited: audited.map(({ act, result }) => `${act} ${result}`),
    };
  });
}
