import { type Db, withRead, withTx } from "@/db/client";
import type { PersonActor } from "@/server/domain/scope/actor";
import { appendAuditEntry } from "./append-audit-entry";

export type View = {
  /** `evidence.viewed` or `story.viewed` */
  act: string;
  clinicId: string | null;
  subjectType: string;
  subjectId: string;
  /** What was seen: another version of the row is another view. */
  version: string;
};

/**
 * Writes that a member of STAFF has looked at something: once for each person and version of it, so that a screen that reads again every few seconds
 * leaves one entry. Called before the answer leaves: if the entry cannot be written, nothing is shown.
 */
export async function recordView(db: Db, actor: PersonActor, view: View): Promise<void> {
  const onceKey = `${view.act}:${view.subjectType}:${view.subjectId}:${view.version}`;
  const isKnown = await withRead(db, actor, async (tx) => {
    const [row] = await tx.sql<{ known: boolean }[]>`
      select exists (
        select from audit_entries
        where tenant_group_id = ${actor.tenantGroupId} and actor_id = ${actor.userId} and once_key = ${onceKey}) as known`;
    return row?.known ?? false;
  });
  if (isKnown) return;
  const { act, clinicId, subjectType, subjectId, version } = view;
  await withTx(db, actor, (tx) =>
    appendAuditEntry(tx, actor, { act, role: "STAFF", clinicId, subjectType, subjectId, details: { version }, onceKey }),
  );
}
