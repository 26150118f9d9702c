import type { Tx } from "@/db/client";
import { markTold } from "@/server/domain/appointments/mark-told";
import type { Claim } from "./claim-intents";
import type { GiveBackReason, NotificationReason } from "./states";

export type Settlement = {
  state: "SENT" | "RETRY_WAIT" | "SUPPRESSED" | "EXHAUSTED" | "UNKNOWN";
  reason: NotificationReason | null;
  /** The provider that was, or would have been, called. */
  provider: string;
  /** What the provider calls the message. */
  reference?: string;
  /** RETRY_WAIT: until the next attempt. */
  delayMs?: number;
  /** Nothing was handed over and nothing said about this message: the attempt does not count. */
  refundAttempt?: boolean;
  worker: string;
  startedAt: string;
  durationMs: number;
  /** RETRY_WAIT: this attempt's answer was lost; its delivery row says UNKNOWN. */
  mayHaveArrived?: boolean;
  /** SENT: the placement that the patient has now been told of. */
  told?: { appointmentId: string; placementVersion: string };
};

/**
 * Ends an attempt where its fence still holds, with its delivery row. False: another worker took the message over; the attempt then leaves a
 * FENCED delivery row and changes nothing.
 */
export async function settleIntent(tx: Tx, claim: Claim, end: Settlement): Promise<boolean> {
  const settled = await tx.sql`
    update notification_intents
    set state = ${end.state}, reason_code = ${end.reason}, provider = ${end.provider},
        attempts = attempts - ${end.refundAttempt ? 1 : 0}::int,
        next_attempt_at = clock_timestamp() + make_interval(secs => ${(end.delayMs ?? 0) / 1000}::float8),
        lease_owner = null, lease_until = null,
        settled_at = case when ${end.state} = 'RETRY_WAIT' then null else clock_timestamp() end
    where id = ${claim.id} and fence = ${claim.fence} and state = 'SENDING'
    returning id`;
  const held = settled.length === 1;
  if (!held && (await isSettledByUs(tx, claim, end))) return true;
  await tx.sql`
    insert into notification_deliveries (tenant_group_id, clinic_id, intent_id, command_id, attempt, fence, provider, outcome, reason_code,
                                         provider_reference, worker, started_at, duration_ms)
    values (${claim.tenantGroupId}, ${claim.clinicId}, ${claim.id}, ${claim.commandId}, ${claim.attempt}, ${claim.fence}, ${end.provider},
            ${held ? (end.mayHaveArrived ? "UNKNOWN" : end.state) : "FENCED"}, ${held ? end.reason : end.state}, ${end.reference ?? null}, ${end.worker},
            ${end.startedAt}, ${Math.max(0, Math.round(end.durationMs))})`;
  if (held && end.state === "SENT" && end.told) await markTold(tx, end.told.appointmentId, end.told.placementVersion);
  return held;
}

/** The answer to our COMMIT was lost and we ask again: nobody else can have ended this fence this way. */
async function isSettledByUs(tx: Tx, claim: Claim, end: Settlement): Promise<boolean> {
  const rows = await tx.sql`select 1 from notification_intents where id = ${claim.id} and fence = ${claim.fence} and state = ${end.state}`;
  return rows.length === 1;
}

/** Gives a claimed message back unsent, as if it had not been taken: the circuit opened, the process stops, or the lease ran short. */
export async function giveBack(tx: Tx, claim: Claim, reason: GiveBackReason): Promise<boolean> {
  const rows = await tx.sql`
    update notification_intents
    set state = 'RETRY_WAIT', reason_code = ${reason}, attempts = attempts - 1, provider = null, next_attempt_at = clock_timestamp(),
        lease_owner = null, lease_until = null
    where id = ${claim.id} and fence = ${claim.fence} and state = 'SENDING'
    returning id`;
  return rows.length === 1;
}
