import type { Tx } from "@/db/client";
import { factChangesSince } from "../planning/snapshot/fact-changes";
import type { FactGroup } from "../planning/snapshot/types";
import type { RunEvidence } from "./planning-types";
import type { OperationsScope } from "./types";

const shownMax = 12;

/** `changesMore`: those that are not shown. */
type ChangesView = Pick<RunEvidence, "changes" | "changesMore">;
type Of = { clinic_id: string; zone: string; from_date: string; until_date: string; scope_fact_version: string | null };

/** Which facts were changed since a run read them, newest first, of the groups that differ now: what a plan of its dates could notice. One statement. */
export async function factChangesOf(tx: Tx, scope: OperationsScope, of: Of, differs: readonly FactGroup[]): Promise<ChangesView> {
  if (of.scope_fact_version === null || differs.length === 0) return { changes: [], changesMore: 0 };
  const range = { clinicId: of.clinic_id, fromDate: of.from_date, untilDate: of.until_date };
  const changes = await factChangesSince(tx, scope, range, { factVersion: of.scope_fact_version, groups: differs });
  const shown = changes.slice(0, shownMax).map(({ id, table, groups, subjectRef, change, from, until, actorRef, at }) => ({
    id,
    group: groups.find((group) => differs.includes(group)) as FactGroup,
    fact: table,
    subjectRef,
    change,
    from,
    until,
    byRef: actorRef,
    at,
  }));
  return { changes: shown, changesMore: changes.length - shown.length };
}
