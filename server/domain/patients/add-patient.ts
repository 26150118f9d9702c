import type { Tx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { runCommand } from "@/server/domain/idempotency/run-command";
import type { Answer, CommandAnswer, CommandCall, CommandDeps } from "@/server/domain/idempotency/types";
import { newRef, newUuid } from "@/server/ids";
import { assertFrontDesk } from "./find-patients";
import { foldName } from "./fold-name";
import { phoneDigits } from "./phone-digits";
import type { NewPatient } from "./types";

/**
 * Adds a person to the tenant group: 201 with id and reference. Somebody with the same phone number, or the same name and birth date, is a likely
 * duplicate: refused (patient-likely-duplicate, with their ids) unless each was acknowledged; one that came meanwhile was not. The stored answer
 * holds ids and references only.
 */
export function addPatient(deps: CommandDeps, call: CommandCall, input: NewPatient): Promise<CommandAnswer> {
  const { method, body, ...rest } = call;
  const fingerprint = { method, operation: "addPatient", pathParams: {}, ifMatch: null, body };
  return runCommand(deps, { ...rest, fingerprint }, (tx) => add(tx, call, input));
}

async function add(tx: Tx, { actor }: CommandCall, input: NewPatient): Promise<Answer> {
  assertFrontDesk(actor);
  const nameSearch = foldName(input.name);
  const digits = input.phone ? phoneDigits(input.phone) : null;
  const duplicates = await findLikelyDuplicates(tx, actor.tenantGroupId, nameSearch, digits, input.birthDate ?? null);
  const unseen = duplicates.filter(({ id }) => !input.acknowledged.includes(id));
  if (unseen.length > 0) throw new AppError("patient-likely-duplicate", undefined, { duplicates: unseen });
  const patient = { id: newUuid(), ref: newRef("PT") };
  const resourceId = newUuid();
  await tx.sql`
    with resource as (
      insert into resources (id, tenant_group_id, kind, seats)
      values (${resourceId}, ${actor.tenantGroupId}, 'PATIENT', 1)
    )
    insert into patients (id, tenant_group_id, ref, resource_id, name, name_search, phone, phone_digits, email, birth_date, language)
    values (${patient.id}, ${actor.tenantGroupId}, ${patient.ref}, ${resourceId}, ${input.name}, ${nameSearch}, ${input.phone ?? null},
      ${digits}, ${input.email ?? null}, ${input.birthDate ?? null}, ${input.language})`;
  return {
    status: 201,
    body: patient,
    audit: { act: "patient.added", subjectType: "patient", subjectId: patient.id, details: { ref: patient.ref }, role: "FRONT_DESK" },
  };
}

type Duplicate = { id: string; ref: string; because: "PHONE" | "NAME_AND_BIRTH_DATE" };

/** A person added in another transaction at this moment is not seen: then there are two rows, which a merge must mend; nothing is lost. */
function findLikelyDuplicates(tx: Tx, tenantGroupId: string, nameSearch: string, digits: string | null, birthDate: string | null) {
  return tx.sql<Duplicate[]>`
    select id, ref, case when phone_digits = ${digits}::text then 'PHONE' else 'NAME_AND_BIRTH_DATE' end as because
    from patients
    where tenant_group_id = ${tenantGroupId}
      and (phone_digits = ${digits}::text or (name_search = ${nameSearch} and birth_date = ${birthDate}::date))
    order by id
    limit 10`;
}
