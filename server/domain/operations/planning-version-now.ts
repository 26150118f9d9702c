import type { Tx } from "@/db/client";
import { loadSnapshot } from "../planning/snapshot/load-snapshot";
import { planningFactVersion } from "../planning/snapshot/planning-fact-version";
import type { PlanningFactVersion, PlanningRange } from "../planning/snapshot/types";
import type { OperationsScope } from "./types";

const keptMax = 500;
/** By clinic, range and the scope's counter, which moves with every fact: what was hashed once is the same until it does. */
const kept = new Map<string, PlanningFactVersion>();

/**
 * The version that the facts of a range have now, for a screen; the fence of an apply asks anew. Two statements while nothing has changed since somebody
 * else looked, else a snapshot. null: the clinic is not in the scope.
 */
export async function versionNow(tx: Tx, scope: OperationsScope, range: PlanningRange): Promise<PlanningFactVersion | null> {
  if (!scope.clinicIds.includes(range.clinicId)) return null;
  const [row] = await tx.sql<{ counter: string }[]>`
    select fact_version::text as counter from planning_scopes where clinic_id = ${range.clinicId} and tenant_group_id = ${scope.tenantGroupId}`;
  if (!row) return null;
  const known = kept.get(keyOf(range, row.counter));
  if (known) return known;
  const snapshot = await loadSnapshot(tx, scope, range);
  if (!snapshot) return null;
  const version = planningFactVersion(snapshot);
  if (kept.size >= keptMax) kept.delete(kept.keys().next().value as string);
  kept.set(keyOf(range, snapshot.facts.clinic.factVersion), version); // the counter that was read with the facts
  return version;
}

const keyOf = ({ clinicId, fromDate, untilDate }: PlanningRange, counter: string) => `${clinicId}.${fromDate}.${untilDate}.${counter}`;
