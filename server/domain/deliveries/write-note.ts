import type { Tx } from "@/db/client";
import type { LockedRow } from "./lock-row";
import type { ActCall } from "./types";

export type NoteAct =
  | "ASSIGNED"
  | "HANDED_OVER"
  | "NOTED"
  | "RETRY_SCHEDULED"
  | "KEPT"
  | "PUBLISH_RETRIED"
  | "PUBLISH_SKIPPED"
  | "SEQUENCE_RELEASED";
export type Note = { act: NoteAct; text?: string; toRef?: string; forAt?: string };

/** Appends what was done and said to the history of the row. No act takes anything from it. */
export async function writeNote(tx: Tx, call: ActCall, row: LockedRow, note: Note): Promise<void> {
  await tx.sql`
    insert into delivery_notes (tenant_group_id, clinic_id, row_kind, row_id, act, text, author_id, author_ref, to_ref, for_at, row_version)
    values (${call.actor.tenantGroupId}, ${call.clinicId}, ${row.kind}, ${row.id}, ${note.act}, ${note.text ?? null}, ${call.actor.userId},
      ${call.actor.ref}, ${note.toRef ?? null}, ${note.forAt ?? null}, ${row.version})`;
}
