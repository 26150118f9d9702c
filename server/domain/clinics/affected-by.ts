// Which visits cannot take place as they stand once a fact holds. Pure; nothing is moved.
import type { FactRow } from "./fact-row";
import type { AffectedView, AffectedVisit } from "./fact-types";
import { localAt, minuteMs, type Span } from "./local-time";
import { openingIntervals, shiftsOf, spansOfBreak } from "./open-time";
import { mergeSpans, overlaps, subtractSpans } from "./spans";
import type { ClinicFacts, DoctorFact, HoursFact, OutageFact } from "./types";

/** A visit that holds a place, with what it uses of devices and rooms. */
export type PlacedVisit = AffectedVisit & Span & { uses: (Span & { resourceId: string })[] };

const shownMax = 200;

/** `replaced`: the id of the row that the wish changes. `visits` are all that may touch the fact, by start. */
export function affectedBy(facts: ClinicFacts, row: FactRow, visits: readonly PlacedVisit[], replaced?: string): AffectedView {
  const isAffected = testOf(facts, row, visits, replaced);
  return affectedView(facts, visits.filter(isAffected));
}

function affectedView({ clinic }: ClinicFacts, visits: readonly PlacedVisit[]): AffectedView {
  const shown = visits.slice(0, shownMax).map(({ id, ref, status, startsAt, endsAt, doctorId, patientRef }) => ({
    id,
    ref,
    status,
    startsAt,
    endsAt,
    doctorId,
    patientRef,
  }));
  const days = new Map<string, number>();
  for (const { from } of visits) {
    const { date } = localAt(clinic.zone, from);
    days.set(date, (days.get(date) ?? 0) + 1);
  }
  return { count: visits.length, visits: shown, days: [...days].map(([date, count]) => ({ date, visits: count })) };
}

function testOf(facts: ClinicFacts, row: FactRow, visits: readonly PlacedVisit[], replaced?: string): (visit: PlacedVisit) => boolean {
  const { span, doctorId, pause, outage } = row;
  if (outage) {
    const others = facts.outages.filter(({ resourceId, id }) => resourceId === outage.resourceId && id !== replaced);
    const seats = facts.equipment.find(({ resourceId }) => resourceId === outage.resourceId)?.resourceSeats ?? 0;
    const crowded = crowdedBy(visits, outage, others, seats);
    return (visit) => crowded.has(visit.id);
  }
  const isTheirs = (visit: PlacedVisit) => doctorId === null || visit.doctorId === doctorId;
  if (pause) {
    const spans = mergeSpans(spansOfBreak(facts, pause));
    return (visit) => isTheirs(visit) && spans.some((one) => overlaps(one, visit));
  }
  return (visit) => span !== null && isTheirs(visit) && overlaps(span, visit);
}

/**
 * Visits that use a device while more use it than units are left. All of them: which one can go elsewhere is for a plan or a person to say.
 * The count can only rise where a use or an outage starts.
 */
function crowdedBy(
  visits: readonly PlacedVisit[],
  outage: Pick<OutageFact, "resourceId" | "units" | "from" | "until">,
  others: readonly OutageFact[],
  seats: number,
): Set<string> {
  const uses = visits.flatMap(({ id, uses: all }) =>
    all.filter((use) => use.resourceId === outage.resourceId).map((use) => ({ ...use, id })),
  );
  const starts = new Set([outage, ...others, ...uses].map(({ from }) => Math.max(from, outage.from)).filter((at) => at < outage.until));
  const crowded = new Set<string>();
  for (const at of starts) {
    const holds = (one: Span) => one.from <= at && at < one.until;
    const out = [outage, ...others].filter(holds).reduce((sum, { units }) => sum + units, 0);
    const using = uses.filter(holds);
    if (using.length > Math.max(0, seats - out)) for (const { id } of using) crowded.add(id);
  }
  return crowded;
}

/** Visits that lie in the hours as they are and not in the hours as they would be: of the clinic, or of one doctor. */
export function affectedByHours(
  facts: ClinicFacts,
  doctor: DoctorFact | null,
  hours: readonly HoursFact[],
  visits: readonly PlacedVisit[],
): AffectedView {
  const layOut = (list: readonly HoursFact[]): Span[] =>
    mergeSpans(doctor ? shiftsOf(facts, { ...doctor, shifts: [...list] }) : openingIntervals({ ...facts, hours: [...list] }));
  const [before, after] = [layOut(doctor ? doctor.shifts : facts.hours), layOut(hours)];
  const isWithin = (spans: Span[], visit: Span) => subtractSpans([visit], nearby(spans, visit)).length === 0;
  return affectedView(
    facts,
    visits.filter((visit) => (doctor === null || visit.doctorId === doctor.id) && isWithin(before, visit) && !isWithin(after, visit)),
  );
}

/** Of sorted, disjoint spans those near a visit: hours of months are laid out, a visit is short. */
function nearby(spans: Span[], visit: Span): Span[] {
  const margin = 2 * 1_440 * minuteMs;
  let low = 0;
  for (let high = spans.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((spans[middle] as Span).until < visit.from - margin) low = middle + 1;
    else high = middle;
  }
  const found: Span[] = [];
  for (; low < spans.length && (spans[low] as Span).from <= visit.until; low += 1) found.push(spans[low] as Span);
  return found;
}
