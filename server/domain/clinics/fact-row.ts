// What a wish means in a clinic: the row to write, and whom it concerns when. Pure: the same for the preview and for the command.
import { AppError } from "@/server/app-error";
import { type FactFault, type FactInputs, type FactKind, type FactWish, factFaults } from "./fact-types";
import { addDays, isDate, localSpan, minuteMs, parseWallClock, type Span, toIso } from "./local-time";
import type { BreakFact, ClinicFacts, OutageFact } from "./types";

export type FactRow = {
  kind: FactKind;
  doctorId: string | null;
  equipmentId: string | null;
  resourceId: string | null;
  /** null: it holds every week. */
  span: Span | null;
  /** Columns to write, but for keys and version. */
  columns: Record<string, string | number | null>;
  /** What the facts would hold beside the others. */
  outage: Omit<OutageFact, "id" | "version"> | null;
  pause: Omit<BreakFact, "id" | "version"> | null;
};

const dayMs = 1_440 * minuteMs;
const periodDaysMax = 731;

/** Refuses what cannot be. `why` is stable. */
export function factInvalid(why: FactFault): AppError {
  return new AppError("fact-invalid", factFaults[why], { why });
}

/** Throws AppError fact-invalid with its reason. `facts` hold at least the doctors and equipment; `now` is the database's clock. */
export function rowOf(facts: ClinicFacts, { kind, input }: FactWish, now: number): FactRow {
  const none = { doctorId: null, equipmentId: null, resourceId: null, span: null, outage: null, pause: null };
  switch (kind) {
    case "closure": {
      const period = periodOf(facts, input, now);
      return { ...none, kind, span: period.span, columns: { ...period.columns, reason: input.reason ?? "Closed" } };
    }
    case "absence": {
      const period = periodOf(facts, input, now);
      const doctorId = doctorOf(facts, input.doctorId);
      return {
        ...none,
        kind,
        doctorId,
        span: period.span,
        columns: { ...period.columns, doctor_id: doctorId, reason: input.reason ?? "Absent" },
      };
    }
    case "outage":
      return { ...none, kind, ...outageOf(facts, input, now) };
    case "break": {
      const { from, until, weekday } = input;
      if (from === until) throw factInvalid("INTERVAL_EMPTY");
      const doctorId = input.doctorId === null ? null : doctorOf(facts, input.doctorId);
      const label = input.label ?? "Break";
      const columns = { doctor_id: doctorId, weekday, starts: from, ends: until, label };
      return { ...none, kind, doctorId, columns, pause: { doctorId, weekday, from, until, label } };
    }
  }
}

function outageOf(facts: ClinicFacts, input: FactInputs["outage"], now: number) {
  const { span, columns } = periodOf(facts, input, now);
  const device = facts.equipment.find(({ id, active }) => active && id === input.equipmentId);
  if (!device) throw factInvalid("EQUIPMENT_UNKNOWN");
  const units = input.units ?? device.resourceSeats;
  if (units > device.resourceSeats) throw factInvalid("UNITS_TOO_MANY");
  const { id: equipmentId, resourceId } = device;
  const reason = input.reason ?? "Maintenance";
  const outage = { ...span, resourceId, units, reason, localFrom: columns.local_from, localUntil: columns.local_until };
  return { equipmentId, resourceId, span, columns: { ...columns, resource_id: resourceId, units, reason }, outage };
}

function doctorOf({ doctors }: ClinicFacts, doctorId: string): string {
  if (!doctors.some(({ id, active }) => active && id === doctorId)) throw factInvalid("DOCTOR_UNKNOWN");
  return doctorId;
}

function periodOf({ clinic }: ClinicFacts, { from, until }: { from: string; until: string }, now: number) {
  const localFrom = isDate(from) ? `${from}T00:00` : from;
  const localUntil = isDate(until) ? `${addDays(until, 1)}T00:00` : until;
  const lengthMs = (parseWallClock(localUntil) as number) - (parseWallClock(localFrom) as number);
  if (lengthMs <= 0) throw factInvalid("PERIOD_EMPTY");
  if (lengthMs > periodDaysMax * dayMs) throw factInvalid("PERIOD_TOO_LONG");
  const span = localSpan(clinic.zone, localFrom, localUntil);
  if (span.from >= span.until) throw factInvalid("PERIOD_EMPTY"); // both in the hour that the clock leaves out
  if (span.until <= now) throw factInvalid("OVER_ALREADY");
  return { span, columns: { local_from: localFrom, local_until: localUntil, during: `[${toIso(span.from)},${toIso(span.until)})` } };
}
