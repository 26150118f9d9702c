import type { Tx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { loadClinicFacts } from "@/server/domain/clinics/load-facts";
import type { LocalChoice } from "@/server/domain/clinics/local-time";
import { placementFor } from "@/server/domain/clinics/placement-for";
import type { Blocker } from "@/server/domain/clinics/types";
import { factsSpanOf, parseWishedStart } from "@/server/domain/clinics/wished-start";
import { hasRole, type PersonActor } from "@/server/domain/scope/actor";

export type StartWish = {
  clinicId: string;
  treatmentId: string;
  /** Left out: any doctor. */
  doctorId?: string;
  patientId?: string;
  /** The visit that is being moved: it does not stand in its own way. */
  ignoreAppointmentId?: string;
  /** The clinic's wall clock, "2027-02-09T10:00"; `utcOffset` tells two readings apart. */
  local: string;
  utcOffset?: string;
};
/** A blocker with the visit behind it, by name, for the front desk of the visit's own clinic; for everybody else the reference has to do. */
export type NamedBlocker = Blocker & { visit: { patient: string | null; treatment: string } | null };
export type StartCheck = { asOf: string } & (
  | { end: "FREE"; startsAt: string; endsAt: string; doctorId: string; equipmentIds: string[] }
  | { end: "BLOCKED"; startsAt: string; endsAt: string; blockers: NamedBlocker[] }
  | { end: "AMBIGUOUS"; choices: LocalChoice[] }
  | { end: "NONEXISTENT" }
);

/**
 * Whether a wished time can be booked, and what stands in its way. Decides by the function that books and that lists the free times; writes and holds
 * nothing. Two statements. Throws AppError: not-found for a clinic out of scope or an unknown treatment, request-invalid for what is no time.
 */
export async function checkStart(tx: Tx, actor: PersonActor, wish: StartWish): Promise<StartCheck> {
  const start = { local: wish.local, ...(wish.utcOffset ? { utcOffset: wish.utcOffset } : {}) };
  const span = factsSpanOf(start);
  if (!span) throw new AppError("request-invalid", "That is no date and time.");
  const { clinicId, treatmentId, doctorId, patientId, ignoreAppointmentId } = wish;
  const subject = { treatmentId, doctorId, patientId };
  const facts = await loadClinicFacts(tx, actor, { clinicId, ...subject, ...span });
  const treatment = facts?.treatments.find(({ id, active }) => active && id === treatmentId);
  if (!facts || !treatment) throw new AppError("not-found");
  const { asOf } = facts;
  const parsed = parseWishedStart(facts.clinic.zone, start);
  if (!parsed.ok) {
    if (parsed.code === "AMBIGUOUS") return { asOf, end: "AMBIGUOUS", choices: parsed.choices };
    if (parsed.code === "NONEXISTENT") return { asOf, end: "NONEXISTENT" };
    throw new AppError("request-invalid", "That is no date and time.");
  }
  const result = placementFor(facts, { ...subject, ...(ignoreAppointmentId ? { ignoreAppointmentId } : {}), startsAt: parsed.at });
  const { startsAt } = parsed;
  if (result.ok) {
    const { endsAt, doctorId: chosen, equipment } = result.placement;
    return { asOf, end: "FREE", startsAt, endsAt, doctorId: chosen, equipmentIds: equipment.map(({ equipmentId }) => equipmentId) };
  }
  const endsAt = new Date(parsed.at + treatment.durationMinutes * 60_000).toISOString().replace(".000Z", "Z");
  return { asOf, end: "BLOCKED", startsAt, endsAt, blockers: await nameVisits(tx, actor, result.blockers) };
}

async function nameVisits(tx: Tx, actor: PersonActor, blockers: Blocker[]): Promise<NamedBlocker[]> {
  const refs = [...new Set(blockers.flatMap(({ appointmentRef }) => appointmentRef ?? []))];
  const desks = actor.clinicIds.filter((clinicId) => hasRole(actor, "FRONT_DESK", clinicId));
  const visits =
    refs.length === 0
      ? []
      : await tx.sql<{ ref: string; patient: string | null; treatment: string }[]>`
          select a.ref, coalesce(p.name, p.ref) as patient, t.name as treatment
          from appointments a
          join patients p on p.tenant_group_id = a.tenant_group_id and p.id = a.patient_id
          join treatments t on t.id = a.treatment_id
          where a.tenant_group_id = ${actor.tenantGroupId} and a.clinic_id = any (${desks}::uuid[]) and a.ref = any (${refs}::text[])`;
  return blockers.map((blocker) => {
    const visit = visits.find(({ ref }) => ref === blocker.appointmentRef);
    return { ...blocker, visit: visit ? { patient: visit.patient, treatment: visit.treatment } : null };
  });
}
