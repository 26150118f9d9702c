import type { Tx } from "@/db/client";
import { toInstant } from "@/server/clock";
import { readActionRow, type StoredRow, toActionRow } from "@/server/domain/deliveries/action-row";
import type { NoteAct } from "@/server/domain/deliveries/write-note";
import { type NextActions, nextActions } from "@/server/domain/inbox/next-actions";
import type { Actor } from "@/server/domain/scope/actor";
import type { RowKind } from "./types";

export type WorkNote = {
  id: string;
  at: string;
  act: NoteAct;
  text: string | null;
  authorRef: string;
  toRef: string | null;
  forAt: string | null;
};

/** What STAFF did about a row, and what may be done with it now. */
export type DeliveryWork = {
  actions: NextActions;
  /** Versions that an act names; null on records of a repeat. */
  version: string | null;
  taskVersion: string | null;
  status: StoredRow["status"];
  assigneeRef: string | null;
  followers: number;
  replayRequestId: string | null;
  notes: WorkNote[];
};

/** Read with the evidence of the row, in the same transaction: what is offered was decided on what is shown. Two statements. */
export async function deliveryWork(tx: Tx, actor: Actor, kind: RowKind, id: string, clinicId: string, asOf: string): Promise<DeliveryWork> {
  const none = { status: null, version: null, taskVersion: null, assigneeRef: null, followers: 0, replayRequestId: null, notes: [] };
  if (kind === "delivery" || kind === "command") {
    const row = { kind, clinicId, state: "DUPLICATE" as const, lease: null, task: null };
    return { ...none, actions: nextActions(row, actor, toInstant(asOf)) };
  }
  const stored = await readActionRow(tx, kind, id);
  if (!stored) throw new Error("a row is gone while its evidence is read");
  const notes = await tx.sql<WorkNote[]>`
    select id, at, act, text, author_ref as "authorRef", to_ref as "toRef", for_at as "forAt"
    from delivery_notes
    where row_id = ${id}
    order by at, id
    limit 200`;
  const { version, taskVersion, status, assigneeRef, followers, replayRequestId } = stored;
  const actions = nextActions(toActionRow(kind, stored), actor, toInstant(stored.now));
  return { actions, version, taskVersion, status, assigneeRef, followers, replayRequestId, notes: [...notes] };
}
