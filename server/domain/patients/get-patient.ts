import { type Db, withRead } from "@/db/client";
import { AppError } from "@/server/app-error";
import type { Actor } from "@/server/domain/scope/actor";
import { assertFrontDesk } from "./find-patients";
import { patientColumns } from "./patient-columns";
import type { PatientView } from "./types";

/** One person of the tenant group, for a front desk. Throws AppError not-found or right-missing. */
export async function getPatient(db: Db, actor: Actor, patientId: string): Promise<PatientView> {
  assertFrontDesk(actor);
  const [row] = await withRead(
    db,
    actor,
    (tx) => tx.sql<PatientView[]>`
      select ${patientColumns(tx, actor)}
      from patients p
      where p.tenant_group_id = ${actor.tenantGroupId ?? null} and p.id = ${patientId}`,
  );
  if (!row) throw new AppError("not-found");
  return row;
}
