import { type Db, withRead } from "@/db/client";
import { AppError } from "@/server/app-error";
import type { PersonActor } from "@/server/domain/scope/actor";
import { readActionRow } from "./action-row";
import type { RowKind, SeenRow } from "./types";

/** The row as it is now, for an act that is decided on this very reading. Throws AppError not-found. */
export async function readSeenRow(db: Db, actor: PersonActor, id: string): Promise<SeenRow & { state: string }> {
  const [kind, rowId] = id.split(".") as [RowKind, string];
  const row = await withRead(db, actor, (tx) => readActionRow(tx, kind, rowId));
  if (!row) throw new AppError("not-found");
  return { id, version: row.version, taskVersion: row.taskVersion, state: row.state };
}
