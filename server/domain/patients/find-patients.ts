import { type Db, type Tx, withRead } from "@/db/client";
import { AppError } from "@/server/app-error";
import { type Actor, hasRole } from "@/server/domain/scope/actor";
import { patientColumns } from "./patient-columns";
import { type PatientSearch, readSearch } from "./read-search";
import type { PatientView } from "./types";

export const foundPatientsMax = 20;

/**
 * People of the tenant group by part of the name, phone number in any format, birth date or reference (PT-…), also together ("lindq marta 0172"), best
 * matches first, at most 20. Everything that was typed must fit (read-search.ts). Throws AppError right-missing for everybody but a front desk: names
 * are theirs alone.
 */
export async function findPatients(db: Db, actor: Actor, query: string): Promise<PatientView[]> {
  assertFrontDesk(actor);
  const text = query.normalize("NFC").trim();
  if (!text.isWellFormed() || text.includes("\u0000")) return [];
  const search = readSearch(text);
  if (search.words.length === 0 && search.numbers.length === 0) return [];
  return withRead(
    db,
    actor,
    (tx) => tx.sql<PatientView[]>`
      select ${patientColumns(tx, actor)}
      from patients p
      where p.tenant_group_id = ${actor.tenantGroupId ?? null}
        and ((p.name is not null and ${fits(tx, search)}) or p.ref = ${text.toUpperCase()})
      order by p.name_search like ${`${escapeLike(search.words[0] ?? "")}%`} desc, p.name_search, p.id
      limit ${foundPatientsMax}`,
  );
}

/** Every word and every number: one condition each, of the form that the indexes of `patients` serve. */
function fits(tx: Tx, { words, numbers }: PatientSearch) {
  const part = (text: string | null) => text && `%${escapeLike(text)}%`;
  const all = [
    ...words.map((word) => tx.sql`p.name_search like ${part(word)}`),
    ...numbers.map(
      ({ text, digits, birthDate }) => tx.sql`
        (p.phone_digits like ${part(digits)}::text or p.birth_date = ${birthDate}::date or p.name_search like ${part(text)})`,
    ),
  ];
  return all.reduce((some, one) => tx.sql`${some} and ${one}`);
}

/** Patients belong to the tenant group: a front desk of any of its clinics may look for them. Throws AppError right-missing. */
export function assertFrontDesk(actor: Actor): void {
  const isDesk = actor.kind === "person" && actor.clinicIds.some((clinicId) => hasRole(actor, "FRONT_DESK", clinicId));
  if (!isDesk) throw new AppError("right-missing", undefined, { right: "FRONT_DESK" });
}

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, "\\$&");
