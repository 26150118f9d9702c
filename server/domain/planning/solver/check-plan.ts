// The independent checker: looks at a plan minute by minute where something begins, straight from the problem. It shares no code with the engines, so that
// a mistake in their tables cannot hide, and every solution passes it before anybody sees it.
import type { Place, Plan, Problem, ProblemTreatment, ProblemVisit, Start, Use } from "./types";

type Placed = { visit: ProblemVisit; treatment: ProblemTreatment; place: Place; start: Start; until: number };
export type PlanCheck = { faults: string[]; cost: number };

/** Every rule that the plan breaks, in words for the log, and what it costs. */
export function checkPlan(problem: Problem, plan: Plan): PlanCheck {
  const faults: string[] = [];
  if (plan.length !== problem.visits.length) return { faults: ["not one entry for each visit"], cost: Number.NaN };
  const placed = problem.visits.flatMap((visit, index): Placed[] => {
    const place = plan[index];
    if (!place) return [];
    const treatment = problem.treatments[visit.treatment];
    const start = problem.starts[place.start];
    if (!treatment || !start || !problem.doctors[place.doctor] || !treatment.options[place.option]) {
      faults.push(`${visit.id}: a place that is not there`);
      return [];
    }
    const isOwn = visit.stay?.start === place.start && visit.stay.doctor === place.doctor;
    if (!isOwn && !treatment.starts[place.doctor]?.includes(place.start)) faults.push(`${visit.id}: cannot begin then with this doctor`);
    return [{ visit, treatment, place, start, until: start.at + treatment.minutes }];
  });
  faults.push(...doctorFaults(problem, placed), ...equipmentFaults(problem, placed), ...clinicFaults(problem, placed));
  faults.push(...patientFaults(problem, placed));
  return { faults: [...new Set(faults)], cost: costOf(problem, plan, placed) };
}

type Held = { from: number; until: number; units: number; limit: number };

/** At each beginning: as many units as are held then, and the least of what is allowed. */
function overfull(held: Held[], allowedAt: (at: number) => number, from: number[] = []): number[] {
  const moments = [...held.map((one) => one.from), ...from];
  return moments.filter((at) => {
    const there = held.filter((one) => one.from <= at && at < one.until);
    const units = there.reduce((sum, one) => sum + one.units, 0);
    return units > Math.min(allowedAt(at), ...there.map(({ limit }) => limit));
  });
}

/** What was held before any plan may be too much already; a plan is blamed for a moment only where it holds something itself. */
const blamed = (moments: number[], own: Held[]): boolean => moments.some((at) => own.some((one) => one.from <= at && at < one.until));

function doctorFaults({ doctors }: Problem, placed: Placed[]): string[] {
  return doctors.flatMap(({ id, taken }, doctor) => {
    const own = placed
      .filter(({ place }) => place.doctor === doctor)
      .map(({ treatment, start, until }): Held => {
        return { from: start.at - treatment.before, until: until + treatment.after, units: 1, limit: treatment.limits[doctor] ?? 0 };
      });
    const others = taken.map((claim): Held => ({ ...claim, units: 1 }));
    return blamed(
      overfull([...own, ...others], () => Number.POSITIVE_INFINITY),
      own,
    )
      ? [`doctor ${id}: more visits at a time than the least limit among them`]
      : [];
  });
}

const free = (span: { from: number; until: number }): Held => ({ ...span, units: 1, limit: Number.POSITIVE_INFINITY });

function equipmentFaults({ equipment }: Problem, placed: Placed[]): string[] {
  return equipment.flatMap(({ id, units, out, taken }, index) => {
    const own = placed.flatMap(({ treatment, place, start }) => {
      const uses = (treatment.options[place.option] as Use[]).filter((use) => use.equipment === index);
      return uses.map(({ offset, minutes }) => free({ from: start.at + offset, until: start.at + offset + minutes }));
    });
    const left = (at: number) =>
      Math.max(
        0,
        out.reduce((sum, one) => (one.from <= at && at < one.until ? sum - one.units : sum), units),
      );
    const moments = overfull(
      [...own, ...taken.map(free)],
      left,
      out.map(({ from }) => from),
    );
    return blamed(moments, own) ? [`equipment ${id}: more in use than there is`] : [];
  });
}

function clinicFaults({ clinic }: Problem, placed: Placed[]): string[] {
  const { limit, taken } = clinic;
  if (limit === null) return [];
  const own = placed.map(({ start, until }) => free({ from: start.at, until }));
  const moments = overfull([...own, ...taken.map(free)], () => limit);
  return blamed(moments, own) ? ["more visits at a time than the clinic allows"] : [];
}

function patientFaults({ patients }: Problem, placed: Placed[]): string[] {
  return placed.flatMap(({ visit, start, until }) => {
    const taken = patients[visit.patient]?.taken ?? [];
    const others = placed.filter((other) => other.visit !== visit && other.visit.patient === visit.patient);
    const spans = [...taken, ...others.map((other) => ({ from: other.start.at, until: other.until }))];
    return spans.some((span) => span.from < until && start.at < span.until) ? [`${visit.id}: its patient is somewhere else then`] : [];
  });
}

function costOf({ visits, weights, doctors }: Problem, plan: Plan, placed: Placed[]): number {
  let cost = 0;
  for (const [index, visit] of visits.entries()) if (!plan[index]) cost += weights.unassigned * visit.priority;
  for (const one of placed) cost += placeCost(weights, one);
  for (const [doctor, { visitsByDay }] of doctors.entries())
    for (const [day, fixed] of visitsByDay.entries()) {
      const together = fixed + placed.filter(({ place, start }) => place.doctor === doctor && start.day === day).length;
      cost += (weights.loadPair * together * (together - 1)) / 2;
    }
  return cost;
}

function placeCost(weights: Problem["weights"], { visit, place, start, treatment }: Placed): number {
  const { known, wish } = visit;
  let cost = 0;
  if (known) {
    if (known.doctor !== place.doctor) cost += weights.doctorChanged;
    if (known.at !== start.at) {
      cost += visit.told ? weights.movedTold : weights.movedUntold;
      cost += weights.perDayMoved * Math.abs(start.day - known.day);
      cost += weights.perQuarterMoved * Math.ceil(Math.abs(start.clock - known.clock) / 15);
    }
  } else if (wish) {
    if (wish.doctor !== null && wish.doctor !== place.doctor) cost += weights.otherDoctor;
    if (wish.day !== null) cost += weights.perDayOff * Math.abs(start.day - wish.day);
    const { window } = wish;
    if (window && (start.clock < window.from || window.until < start.clock + treatment.minutes)) cost += weights.outsideWindow;
  }
  return cost;
}
