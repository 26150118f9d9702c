import type { Tx } from "@/db/client";
import type { AuditScope } from "./audit-types";
import { resolveReference } from "./resolve-reference";

/** What a typed text means, as one condition that an index answers. */
export type AuditMatch =
  | { by: "entry"; ids: string[] }
  | { by: "actor"; ref: string }
  | { by: "act"; act: string }
  | { by: "subject"; ids: string[] };

/**
 * Decides what a text names: the number of an entry (AU-…), an actor, an act, or else whatever identity it is: appointment, patient, event, command,
 * key, inbox row, request. The first that exists; nothing found is a match of nothing. Four statements at most.
 */
export async function resolveAuditSearch(tx: Tx, scope: AuditScope, text: string): Promise<AuditMatch> {
  const number = /^AU-(\d{1,15})$/i.exec(text)?.[1];
  if (number) {
    const rows = await tx.sql<{ entry_id: string }[]>`
      select entry_id from audit_seals where tenant_group_id = ${scope.tenantGroupId} and seq = ${number}::bigint`;
    return { by: "entry", ids: rows.map((row) => row.entry_id) };
  }
  const [known] = await tx.sql<{ actor: string | null; act: string | null }[]>`
    select
      (select actor_ref from audit_entries
        where tenant_group_id = ${scope.tenantGroupId} and actor_ref in (${text}, ${text.toUpperCase()}) limit 1) as actor,
      (select act from audit_entries where tenant_group_id = ${scope.tenantGroupId} and act = ${text.toLowerCase()} limit 1) as act`;
  if (known?.actor) return { by: "actor", ref: known.actor };
  if (known?.act) return { by: "act", act: known.act };
  const { aggregateIds, commandIds, rowIds } = await resolveReference(tx, scope, text);
  const patients = await tx.sql<{ id: string }[]>`
    select id from patients where tenant_group_id = ${scope.tenantGroupId} and ref = ${text.toUpperCase()}`;
  const own = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? [text.toLowerCase()] : [];
  return { by: "subject", ids: [...new Set([...own, ...aggregateIds, ...commandIds, ...rowIds, ...patients.map((row) => row.id)])] };
}

/** The condition on an entry `e`. */
export function matchSql(tx: Tx, match: AuditMatch) {
  switch (match.by) {
    case "entry":
      return tx.sql`and e.id = any (${match.ids}::uuid[])`;
    case "actor":
      return tx.sql`and e.actor_ref = ${match.ref}`;
    case "act":
      return tx.sql`and e.act = ${match.act}`;
    case "subject":
      return tx.sql`and (e.subject_id = any (${match.ids}::uuid[]) or e.command_id = any (${match.ids}::uuid[]) or e.id = any (${match.ids}::uuid[]))`;
  }
}
