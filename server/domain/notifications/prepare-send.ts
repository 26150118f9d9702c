import type { Tx } from "@/db/client";
import { toInstant } from "@/server/clock";
import type { Claim } from "./claim-intents";
import type { IntentKind } from "./intent-kind";
import type { Message, NotificationProvider } from "./provider";
import { renderMessage } from "./render-message";
import { type SuppressReason, suppressReason } from "./states";

export type Prepared =
  | {
      next: "SEND";
      message: Message;
      startedAt: string;
      isYoung: boolean;
      /** An earlier attempt was handed over and its answer lost. */
      mayHaveArrived: boolean;
      told: { appointmentId: string; placementVersion: string };
    }
  | { next: "SUPPRESS"; reason: SuppressReason; startedAt: string; mayHaveArrived: boolean }
  | { next: "PARK"; reason: "RECIPIENT_FLOOD"; startedAt: string; mayHaveArrived: boolean }
  | { next: "RENDER_FAILED"; startedAt: string; mayHaveArrived: boolean }
  | { next: "FENCED" };

type Facts = {
  kind: IntentKind;
  started_at: string;
  is_young: boolean;
  appointment_id: string;
  appointment_ref: string;
  status: string;
  placement_version: string;
  starts_at: string;
  has_begun: boolean;
  has_later_intent: boolean;
  language: string;
  patient_name: string | null;
  patient_ref: string;
  email: string | null;
  phone: string | null;
  clinic_name: string;
  zone: string;
  doctor_name: string;
  patient_id: string;
  may_have_arrived: boolean;
};

type Render = typeof renderMessage;
type Options = { provider: NotificationProvider; leaseTtlMs: number; graceMs: number; recipientPerMinuteMax: number; render?: Render };

/**
 * The last look before a hand-over, in one transaction: does the fence hold, is the message still true, where does it go, what does it say. When it is to
 * be sent, the row now names the provider (from here on it may have been delivered) and the lease is renewed.
 */
export async function prepareSend(
  tx: Tx,
  claim: Claim,
  { provider, leaseTtlMs, graceMs, recipientPerMinuteMax, render = renderMessage }: Options,
): Promise<Prepared> {
  const [facts] = await tx.sql<Facts[]>`
    select i.kind, clock_timestamp() as started_at, i.created_at > clock_timestamp() - make_interval(secs => ${graceMs / 1000}::float8) as is_young,
           a.id as appointment_id, a.ref as appointment_ref, a.status, a.placement_version, a.starts_at,
           a.starts_at <= clock_timestamp() as has_begun,
           exists (
             select from notification_intents later
             where later.tenant_group_id = i.tenant_group_id and later.appointment_id = i.appointment_id
               and later.appointment_version > i.appointment_version and later.kind <> 'REMINDER'
           ) as has_later_intent,
           p.language, p.name as patient_name, p.ref as patient_ref, p.email, p.phone,
           exists (select from notification_deliveries t where t.intent_id = i.id and t.outcome = 'UNKNOWN') as may_have_arrived,
           c.name as clinic_name, c.zone, d.name as doctor_name, i.patient_id,
           pg_advisory_xact_lock(hashtextextended(i.patient_id::text, 0)) -- messages to one recipient are counted one after the other
    from notification_intents i
    join appointments a on a.tenant_group_id = i.tenant_group_id and a.id = i.appointment_id
    join patients p on p.tenant_group_id = i.tenant_group_id and p.id = i.patient_id
    join clinics c on c.tenant_group_id = i.tenant_group_id and c.id = i.clinic_id
    join doctors d on d.tenant_group_id = a.tenant_group_id and d.id = a.doctor_id
    where i.id = ${claim.id} and i.fence = ${claim.fence} and i.state = 'SENDING'
    for no key update of i`;
  if (!facts) return { next: "FENCED" };
  const known = { startedAt: facts.started_at, mayHaveArrived: facts.may_have_arrived };
  const reason = suppressReason(facts.kind, { status: facts.status, hasBegun: facts.has_begun, hasLaterIntent: facts.has_later_intent });
  if (reason) return { next: "SUPPRESS", reason, ...known };
  const address = provider.addressOf({ ref: facts.patient_ref, email: facts.email, phone: facts.phone });
  if (address === null) return { next: "SUPPRESS", reason: "NO_ADDRESS", ...known };
  const text = tryRender(render, facts);
  if (!text) return { next: "RENDER_FAILED", ...known };

  // a younger snapshot than the lock: it sees every hand-over to this recipient that was decided before
  const handed = await tx.sql`
    update notification_intents i
    set provider = ${provider.name}, lease_until = clock_timestamp() + make_interval(secs => ${leaseTtlMs / 1000}::float8)
    where i.id = ${claim.id} and i.fence = ${claim.fence}
      and ${recipientPerMinuteMax}::int > (
        select count(*)
        from appointments a
        join notification_intents o on o.tenant_group_id = a.tenant_group_id and o.appointment_id = a.id
        where a.tenant_group_id = ${claim.tenantGroupId} and a.patient_id = ${facts.patient_id} and o.id <> i.id
          and (o.state in ('SENT', 'UNKNOWN') and o.settled_at > clock_timestamp() - interval '1 minute'
               or o.state = 'SENDING' and o.provider is not null))
    returning i.id`;
  if (handed.length === 0) return { next: "PARK", reason: "RECIPIENT_FLOOD", ...known };
  const { id: intentId, tenantGroupId, clinicId } = claim;
  const language = facts.language === "ko" ? "ko" : "en";
  return {
    next: "SEND",
    message: { intentId, tenantGroupId, clinicId, address, language, ...text },
    ...known,
    isYoung: facts.is_young,
    told: { appointmentId: facts.appointment_id, placementVersion: facts.placement_version },
  };
}

/** A fault of a text concerns its message only. The error may quote what it was made from, so nothing of it is kept. */
function tryRender(render: Render, facts: Facts): ReturnType<Render> | undefined {
  try {
    return render({
      kind: facts.kind,
      language: facts.language,
      patientName: facts.patient_name,
      clinicName: facts.clinic_name,
      zone: facts.zone,
      doctorName: facts.doctor_name,
      appointmentRef: facts.appointment_ref,
      isRequest: facts.status === "REQUESTED",
      startsAt: toInstant(facts.starts_at),
    });
  } catch {
    return undefined;
  }
}
