import { type Db, withRead } from "@/db/client";
import { AppError } from "@/server/app-error";
import { type Actor, hasRole } from "@/server/domain/scope/actor";
import { foldName } from "./fold-name";
import { patientColumns } from "./patient-columns";
import { searchDigits } from "./phone-digits";
import type { PatientView } from "./types";

export const foundPatientsMax = 20;

/**
 * People of the tenant group by part of the name, phone number in any format, birth date (1980-05-17) or reference (PT-…), best matches first, at
 * most 20. Every word of a name must occur. Throws AppError right-missing for everybody but a front desk: names are theirs alone.
 */
export async function findPatients(db: Db, actor: Actor, query: string): Promise<PatientView[]> {
  assertFrontDesk(actor);
  const text = query.normalize("NFC").trim();
  const digits = searchDigits(text);
  const birthDate = /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : null;
  const words = foldName(text).split(" ").filter(Boolean);
  if (!text.isWellFormed() || text.includes("\u0000") || (words.length === 0 && !digits)) return [];
  return withRead(
    db,
    actor,
    (tx) => tx.sql<PatientView[]>`
      select ${patientColumns(tx, actor)}
      from patients p
      where p.tenant_group_id = ${actor.tenantGroupId ?? null}
        and (p.name_search like all (${words.map((word) => `%${escapeLike(word)}%`)}::text[])
             or p.phone_digits like ${digits && `%${digits}%`}::text
             or p.birth_date = ${birthDate}::date
             or p.ref = ${text.toUpperCase()})
        and (p.name is not null or p.ref = ${text.toUpperCase()})
      order by p.name_search like ${`${escapeLike(words[0] ?? "")}%`} desc, p.name_search, p.id
      limit ${foundPatientsMax}`,
  );
}

/** Patients belong to the tenant group: a front desk of any of its clinics may look for them. Throws AppError right-missing. */
export function assertFrontDesk(actor: Actor): void {
  const isDesk = actor.kind === "person" && actor.clinicIds.some((clinicId) => hasRole(actor, "FRONT_DESK", clinicId));
  if (!isDesk) throw new AppError("right-missing", undefined, { right: "FRONT_DESK" });
}

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, "\\$&");
