import type { Tx } from "@/db/client";
import { type FactActions, factActions } from "./fact-actions";
import type { FactKind } from "./fact-types";
import { getClinicFacts } from "./get-clinic-facts";
import type { Scope } from "./types";

/** A fact as the desk lists it: with its reason, and what may be done to it now. */
export type ListedFact = {
  kind: FactKind;
  id: string;
  version: string;
  doctorId: string | null;
  equipmentId: string | null;
  units: number | null;
  weekday: number | null;
  /** The clinic's wall clock; of a break the time of the day. */
  from: string;
  until: string;
  fromInstant: string | null;
  untilInstant: string | null;
  /** The reason; of a break its label. */
  words: string;
  actions: FactActions;
};

/** How far ahead the desk's list of facts looks. */
export const listedDays = 92;

/**
 * Absences, closures, outages and breaks that hold on or after a date, for three months: of one doctor or device with those of the whole clinic, or all.
 * One statement. Throws AppError as getClinicFacts does.
 */
export async function listFacts(
  tx: Tx,
  scope: Scope,
  asked: { clinicId: string; fromDate: string; doctorId?: string | undefined; equipmentId?: string | undefined },
): Promise<{ asOf: string; zone: string; facts: ListedFact[] }> {
  const { clinicId, fromDate, doctorId, equipmentId } = asked;
  const found = await getClinicFacts(tx, scope, { clinicId, fromDate, days: listedDays });
  const now = Date.parse(found.asOf);
  const none = { doctorId: null, equipmentId: null, units: null, weekday: null, fromInstant: null, untilInstant: null };
  const period = ({ id, version, localFrom, localUntil, from, until, reason }: (typeof found.closures)[number]) => ({
    ...none,
    id,
    version,
    from: localFrom,
    until: localUntil,
    fromInstant: from,
    untilInstant: until,
    words: reason,
    actions: factActions({ untilInstant: until }, now),
  });
  const isOfNobody = doctorId === undefined && equipmentId === undefined;
  return {
    asOf: found.asOf,
    zone: found.clinic.zone,
    facts: [
      ...found.absences
        .filter((absence) => isOfNobody || absence.doctorId === doctorId)
        .map((absence) => ({ ...period(absence), kind: "absence" as const, doctorId: absence.doctorId })),
      ...found.outages
        .filter((outage) => isOfNobody || (outage.equipmentId !== null && outage.equipmentId === equipmentId))
        .map((outage) => ({ ...period(outage), kind: "outage" as const, equipmentId: outage.equipmentId, units: outage.units })),
      ...found.closures.map((closure) => ({ ...period(closure), kind: "closure" as const })),
      ...found.breaks
        .filter((pause) => isOfNobody || pause.doctorId === null || pause.doctorId === doctorId)
        .map((pause) => ({
          ...none,
          kind: "break" as const,
          id: pause.id,
          version: pause.version,
          doctorId: pause.doctorId,
          weekday: pause.weekday,
          from: pause.from,
          until: pause.until,
          words: pause.label,
          actions: factActions({ untilInstant: null }, now),
        })),
    ],
  };
}
