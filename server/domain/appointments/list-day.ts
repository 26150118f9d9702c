import { type Db, withRead } from "@/db/client";
import { AppError } from "@/server/app-error";
import { toIso } from "@/server/clock";
import type { Actor } from "@/server/domain/scope/actor";
import { isUuid } from "@/server/ids";
import type { AppointmentView } from "./types";
import { type AppointmentRow, toView } from "./view";

export type DayPage = { appointments: AppointmentView[]; nextCursor: string | null };
export type DayQuery = { clinicId: string; date: string; limit: number; cursor?: string | undefined };

/**
 * The visits of a clinic's calendar day in one total order (start, id), a page at a time. A cursor names the last row that was read, so rows that
 * come or go between two pages shift nothing: each old row is read exactly once. Throws AppError not-found, request-invalid for a broken cursor.
 */
export async function listDay(db: Db, scope: Actor, { clinicId, date, limit, cursor }: DayQuery): Promise<DayPage> {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const rows = await withRead(db, scope, async (tx) => {
    const found = await tx.sql<(AppointmentRow & { id: string | null })[]>`
      select a.*, c.zone, p.ref as patient_ref,
             array(select e.equipment_id from appointment_equipment e where e.appointment_id = a.id order by e.id) as equipment_ids
      from clinics c
      left join appointments a on a.clinic_id = c.id and a.local_date = ${date}
        and (${after === undefined}::boolean or (a.starts_at, a.id) > (${after?.startsAt ?? null}::timestamptz, ${after?.id ?? null}::uuid))
      left join patients p on p.tenant_group_id = a.tenant_group_id and p.id = a.patient_id
      where c.id = ${clinicId}
      order by a.starts_at, a.id
      limit ${limit + 1}`;
    if (found.length === 0) throw new AppError("not-found");
    return found.filter((row) => row.id !== null);
  });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { appointments: page.map(toView), nextCursor: rows.length > limit && last ? toCursor(last) : null };
}

const toCursor = (row: AppointmentRow): string => Buffer.from(`${toIso(row.starts_at)} ${row.id}`).toString("base64url");

function readCursor(cursor: string): { startsAt: string; id: string } {
  const [startsAt, id, ...rest] = Buffer.from(cursor, "base64url").toString().split(" ");
  const fits = startsAt !== undefined && id !== undefined && rest.length === 0 && isUuid(id) && /^\d{4}-[\dT:.-]{11,28}Z$/.test(startsAt);
  if (!fits || Number.isNaN(Date.parse(startsAt))) throw new AppError("request-invalid", "The cursor is none of ours.");
  return { startsAt, id };
}
