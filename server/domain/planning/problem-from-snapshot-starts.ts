import { findOpenings, startsOnGrid } from "@/server/domain/clinics/availability";
import { optionsOf, usageOf } from "@/server/domain/clinics/choose-equipment";
import { clinicTime, doctorClaimSeats } from "@/server/domain/clinics/clinic-time";
import { addDays, localAt, minuteMs } from "@/server/domain/clinics/local-time";
import { subjectOf } from "@/server/domain/clinics/subject";
import type { ClinicFacts, TreatmentFact } from "@/server/domain/clinics/types";
import type { PlanningRange, VisitFact } from "./snapshot/types";
import type { ProblemTreatment, Start, Use } from "./solver/types";

/** The times at which visits may begin: on the grid, and where visits that may move are off it. */
export type MoveTimes = {
  originMs: number;
  dates: string[];
  /** By time; instants of the starts. */
  instants: number[];
  starts: Start[];
  onGrid: Set<number>;
};

/** Choices of devices for one treatment; more are left out, the last choices first. */
const optionsMax = 48;

export function timesOf(facts: ClinicFacts, movable: VisitFact[], { fromDate, untilDate }: PlanningRange): MoveTimes {
  const now = Date.parse(facts.asOf);
  const dates = [fromDate];
  while ((dates.at(-1) as string) < untilDate) dates.push(addDays(dates.at(-1) as string, 1));
  const isInRange = (at: number) => {
    const { date } = localAt(facts.clinic.zone, at);
    return at >= now && fromDate <= date && date <= untilDate;
  };
  const onGrid = startsOnGrid(facts, facts.range).filter(isInRange);
  const own = movable.map(({ startsAt }) => Date.parse(startsAt)).filter(isInRange);
  const instants = [...new Set([...onGrid, ...own])].sort((a, b) => a - b);
  const originMs = facts.range.from;
  const starts = instants.map((at): Start => ({ at: (at - originMs) / minuteMs, ...readingOf(facts, fromDate, at) }));
  return { originMs, dates, instants, starts, onGrid: new Set(onGrid) };
}

/** What a person reads off the clinic's clock: the day, counted from the first of the range, and the minute of the day. */
export function readingOf({ clinic }: ClinicFacts, fromDate: string, at: number): { day: number; clock: number } {
  const { date, local } = localAt(clinic.zone, at);
  const [hours, minutes] = [Number(local.slice(11, 13)), Number(local.slice(14, 16))];
  return { day: Math.round((Date.parse(date) - Date.parse(fromDate)) / 86_400_000), clock: hours * 60 + minutes };
}

/** One question for all doctors: at which of the starts could this treatment be, if no movable visit were there. */
export function layOutTreatment(facts: ClinicFacts, treatmentId: string, { instants, onGrid }: MoveTimes): ProblemTreatment {
  const subject = subjectOf(facts, { treatmentId });
  const treatment = facts.treatments.find(({ id }) => id === treatmentId);
  if (!treatment) throw new Error("a visit's treatment is not among the facts of its clinic");
  const starts: number[][] = facts.doctors.map(() => []);
  const doctorIndex = new Map(facts.doctors.map(({ id }, index) => [id, index]));
  const startIndex = new Map(instants.map((at, index) => [at, index]));
  const candidates = subject ? instants.filter((at) => onGrid.has(at) && isWithinFacts(facts, subject, at)) : [];
  for (const opening of subject ? findOpenings(facts, subject, candidates) : [])
    for (const { doctor } of opening.doctors) starts[doctorIndex.get(doctor.id) ?? -1]?.push(startIndex.get(opening.start) ?? -1);
  return {
    id: treatmentId,
    minutes: treatment.durationMinutes,
    before: treatment.bufferBeforeMinutes,
    after: treatment.bufferAfterMinutes,
    limits: facts.doctors.map((doctor) => doctorClaimSeats(facts, treatment, doctor) ?? doctor.resourceSeats),
    options: choicesOf(facts, treatment),
    starts,
  };
}

/** The buffers of the last visits of the range may reach beyond what was read. */
export const isWithinFacts = (
  { range }: ClinicFacts,
  { durationMs, beforeMs, afterMs }: { durationMs: number; beforeMs: number; afterMs: number },
  at: number,
): boolean => range.from <= at - beforeMs && at + durationMs + afterMs <= range.until;

/** Every choice of one device for each need, first choices first. */
function choicesOf(facts: ClinicFacts, treatment: TreatmentFact): Use[][] {
  const durationMs = treatment.durationMinutes * minuteMs;
  return treatment.needs.reduce<Use[][]>(
    (choices, need) => {
      const { from, until } = usageOf(need, { durationMs }, 0);
      const devices = optionsOf(clinicTime(facts), need).map((device) => facts.equipment.indexOf(device));
      const uses = devices.map((equipment): Use => ({ equipment, offset: from / minuteMs, minutes: (until - from) / minuteMs }));
      return choices.flatMap((choice) => uses.map((use) => [...choice, use])).slice(0, optionsMax);
    },
    [[]],
  );
}
