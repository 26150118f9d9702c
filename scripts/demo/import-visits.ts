import type { Tx } from "@/db/client";
import { insertRows } from "@/scripts/demo/insert-rows";
import type { PlannedVisit } from "@/scripts/demo/plan-day";
import type { Random } from "@/scripts/demo/random";
import type { SeededPatient } from "@/scripts/demo/seed-facts";
import { applyDailyLoad } from "@/server/domain/appointments/daily-load";
import { appointmentEvent, type Change } from "@/server/domain/appointments/events";
import { type AppointmentState, holdsClaims } from "@/server/domain/appointments/states";
import { minuteMs, toIso } from "@/server/domain/clinics/local-time";
import type { ClinicKey } from "@/server/domain/clinics/set-up";
import type { AppointmentChangeV1 } from "@/server/domain/event-log/contracts/appointment-v1";
import type { PublishedEvent } from "@/server/domain/event-log/envelope";
import { outboxValues } from "@/server/domain/outbox/append-event";
import { newRef, newUuid } from "@/server/ids";

export type ImportedVisit = PlannedVisit & { patient: SeededPatient; steps: Step[] };
/** What happened to a visit, oldest first; the first is its booking. */
export type Step = { to: AppointmentState; at: number; reasonCode?: string };

const CONSUMERS = ["daily-load-v1", "reminder-planner-v1"];
const DAY_MS = 24 * 60 * minuteMs;

/** What became of a visit until now: of those that are over most were done, a few missed or called off; the others are as far as the clock is. */
export function stepsUntil(now: number, visit: PlannedVisit, random: Random): Step[] {
  const [start, end] = [Date.parse(visit.placement.startsAt), Date.parse(visit.placement.endsAt)];
  const booked: Step = { to: "CONFIRMED", at: start - (1 + random.below(20)) * DAY_MS - random.below(8) * 60 * minuteMs };
  const luck = random.next();
  if (luck < 0.07)
    return [booked, { to: "CANCELLED", at: Math.min(now, start - (2 + random.below(40)) * 60 * minuteMs), reasonCode: "PATIENT_REQUEST" }];
  if (luck < 0.12 && start + 20 * minuteMs < now) return [booked, { to: "NO_SHOW", at: start + 20 * minuteMs }];
  const path: Step[] = [
    { to: "CHECKED_IN", at: start - random.below(12) * minuteMs },
    { to: "IN_PROGRESS", at: start + random.below(4) * minuteMs },
    { to: "COMPLETED", at: end },
  ];
  return [booked, ...path.filter(({ at }) => at < now)];
}

/**
 * Writes visits with the history they are said to have, set-based and without commands: as an import from another system would. Their events are
 * SKIPPED, nobody is told. The projection and the consumers' sequences are written with them, so that the next real event of such a visit meets no
 * gap. Takes the migrator's tx.
 */
export async function importVisits(tx: Tx, clinic: ClinicKey, visits: readonly ImportedVisit[]): Promise<void> {
  const of = { tenant_group_id: clinic.tenantGroupId, clinic_id: clinic.id };
  const made = visits.map((visit) => ({
    ...visit,
    id: newUuid(),
    ref: newRef("APT"),
    states: visit.steps.map((step) => ({ ...step, commandId: newUuid() })),
  }));
  const last = (visit: (typeof made)[number]) => visit.states[visit.states.length - 1] as Step & { commandId: string };
  await insertRows(
    tx,
    "appointments",
    made.map((visit) => ({
      id: visit.id,
      ...of,
      ref: visit.ref,
      version: visit.states.length,
      // leaving the states that hold claims is a step of the placement
      placement_version: holdsClaims[last(visit).to] ? 1 : 2,
      status: last(visit).to,
      patient_id: visit.patient.id,
      doctor_id: visit.placement.doctorId,
      treatment_id: visit.treatmentId,
      starts_at: visit.placement.startsAt,
      ends_at: visit.placement.endsAt,
      local_date: visit.placement.localDate,
      local_start: visit.placement.localStart,
      utc_offset_seconds: visit.placement.utcOffsetSeconds,
      told_placement_version: holdsClaims[last(visit).to] ? 1 : 2,
      source: "IMPORT",
      command_id: last(visit).commandId,
      created_at: toIso(visit.states[0]?.at ?? 0),
      updated_at: toIso(last(visit).at),
      pinned: false,
    })),
  );
  await insertRows(
    tx,
    "appointment_equipment",
    made.flatMap((visit) =>
      visit.placement.equipment.map((use) => ({ ...of, appointment_id: visit.id, equipment_id: use.equipmentId, during: use.during })),
    ),
  );
  await insertRows(
    tx,
    "resource_claims",
    made
      .filter((visit) => holdsClaims[last(visit).to])
      .flatMap((visit) => {
        const { startsAt, endsAt, claims } = visit.placement;
        const patient = { resourceId: visit.patient.resourceId, fromIso: startsAt, untilIso: endsAt, seats: null };
        return [...claims, patient].map((claim) => ({
          ...of,
          appointment_id: visit.id,
          resource_id: claim.resourceId,
          during: `[${claim.fromIso},${claim.untilIso})`,
          seats: claim.seats,
          overridden: false,
        }));
      }),
  );
  await insertRows(
    tx,
    "appointment_history",
    made.flatMap((visit) => historyOf(visit, of)),
  );
  const events = made.map((visit) => visit.states.map((_, i) => importedEvent(visit, i, clinic)));
  await insertRows(tx, "outbox", events.flat().map(skipped));
  await applyDailyLoad(
    tx,
    events.flatMap((all) => all.slice(-1)),
  );
  const sequences = CONSUMERS.flatMap((consumer) =>
    made.map((visit) => ({
      ...of,
      consumer,
      aggregate_type: "appointment",
      aggregate_id: visit.id,
      last_applied_seq: visit.states.length,
    })),
  );
  await insertRows(tx, "inbox_sequences", sequences);
}

function historyOf(visit: Made, of: Record<string, string>) {
  const { startsAt, doctorId } = visit.placement;
  return visit.states.map((step, i) => {
    const from = visit.states[i - 1];
    return {
      id: newUuid(),
      ...of,
      appointment_id: visit.id,
      version: i + 1,
      command_id: step.commandId,
      change: changeOf(from, step),
      from_status: from?.to ?? null,
      to_status: step.to,
      from_starts_at: from ? startsAt : null,
      to_starts_at: startsAt,
      from_doctor_id: from ? doctorId : null,
      to_doctor_id: doctorId,
      actor_kind: "worker",
      actor_id: "import",
      actor_ref: "import",
      source: "IMPORT",
      reason_code: step.reasonCode ?? null,
      at: toIso(step.at),
    };
  });
}

type Made = PlannedVisit & { id: string; ref: string; states: (Step & { commandId: string })[] };

/** The event that announces step `i`, as a command would have written it. */
function importedEvent(visit: Made, i: number, clinic: ClinicKey): PublishedEvent<AppointmentChangeV1> {
  const { startsAt, endsAt, doctorId, localDate } = visit.placement;
  const [from, step] = [visit.states[i - 1], visit.states[i] as Made["states"][number]];
  const version = String(i + 1);
  const standing = (status: AppointmentState) => ({ status, doctorId, startsAt, endsAt, localDate });
  const of = { id: visit.id, ref: visit.ref, version, clinicId: clinic.id, treatmentId: visit.treatmentId };
  return {
    eventId: newUuid(),
    tenantGroupId: clinic.tenantGroupId,
    clinicId: clinic.id,
    commandId: step.commandId,
    aggregateType: "appointment",
    aggregateId: visit.id,
    aggregateSeq: version,
    occurredAt: toIso(step.at),
    ...appointmentEvent(of, changeOf(from, step), from ? standing(from.to) : null, standing(step.to), step.reasonCode ?? null),
  };
}

const changeOf = (from: Step | undefined, to: Step): Change => (!from ? "CREATED" : to.to === "CANCELLED" ? "CANCELLED" : "STATUS_CHANGED");

/** Kept for the record and never published: consumers would take weeks-old changes for new ones. */
function skipped(event: PublishedEvent<AppointmentChangeV1>): Record<string, unknown> {
  const row = outboxValues({ ...event, topic: "appointment.v1" });
  return {
    event_id: row.eventId,
    tenant_group_id: row.tenantGroupId,
    clinic_id: row.clinicId,
    command_id: row.commandId,
    topic: row.topic,
    partition_key: row.partitionKey,
    aggregate_type: row.aggregateType,
    aggregate_id: row.aggregateId,
    aggregate_seq: row.aggregateSeq,
    type: row.type,
    schema_version: row.schemaVersion,
    payload: event.payload,
    state: "SKIPPED",
    reason_code: "IMPORTED",
    attempts: 0,
    fence: 0,
    occurred_at: event.occurredAt,
  };
}
