import type { PendingQuery, Row } from "postgres";
import type { Tx } from "@/db/client";
import { notificationIntents } from "@/db/schema/notifications";
import type { IntentKind } from "./intent-kind";

export { type IntentKind, intentKindFor } from "./intent-kind";

/** One message to one patient about one change. Opaque ids only: the text is made when it is sent, from what is true then. */
export type Intent = {
  tenantGroupId: string;
  clinicId: string;
  commandId: string;
  appointmentId: string;
  /** The version that the change gave the visit. */
  appointmentVersion: string | number | bigint;
  patientId: string;
  kind: IntentKind;
  /** Made by the database (uuidv7) when left out. The provider's idempotency key on every attempt. */
  id?: string;
};

/**
 * Writes the intent in the transaction of the change it tells of, so that both exist or neither. Null (a change nobody is told of) writes nothing.
 * A second intent for the same change and kind is a bug of the caller and raises 23505 (notification_intents_change_key).
 */
export async function recordIntent(tx: Tx, intent: Intent | null): Promise<void> {
  if (intent) await tx.insert(notificationIntents).values(intentValues(intent));
}

/** The row as drizzle takes it. */
export const intentValues = (intent: Intent) => ({ ...intent, appointmentVersion: BigInt(intent.appointmentVersion) });

/**
 * The same insert as a part of a larger statement: with …, intent as (${recordIntentSql(tx, intent)}) …
 * Null keeps the statement's shape and inserts no row, so that the command's one prepared statement serves both.
 */
export function recordIntentSql(tx: Tx, intent: Intent | null): PendingQuery<Row[]> {
  const version = intent ? String(intent.appointmentVersion) : null;
  return tx.sql`
    insert into notification_intents (id, tenant_group_id, clinic_id, command_id, appointment_id, appointment_version, patient_id, kind)
    select coalesce(${intent?.id ?? null}::uuid, uuidv7()), ${intent?.tenantGroupId ?? null}::uuid, ${intent?.clinicId ?? null}::uuid,
           ${intent?.commandId ?? null}::uuid, ${intent?.appointmentId ?? null}::uuid, ${version}::bigint,
           ${intent?.patientId ?? null}::uuid, ${intent?.kind ?? null}::text
    where ${intent !== null}::boolean
    returning id`;
}

/** Intents of many changes in one insert; a part of a larger statement too. */
export function recordIntentsSql(tx: Tx, intents: readonly Intent[]): PendingQuery<Row[]> {
  return tx.sql`
    insert into notification_intents (tenant_group_id, clinic_id, command_id, appointment_id, appointment_version, patient_id, kind)
    select *
    from unnest(${intents.map((intent) => intent.tenantGroupId)}::uuid[], ${intents.map((intent) => intent.clinicId)}::uuid[],
      ${intents.map((intent) => intent.commandId)}::uuid[], ${intents.map((intent) => intent.appointmentId)}::uuid[],
      ${intents.map((intent) => String(intent.appointmentVersion))}::int8[], ${intents.map((intent) => intent.patientId)}::uuid[],
      ${intents.map((intent) => intent.kind)}::text[])`;
}
