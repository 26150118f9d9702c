// A small clinic told in days and minutes since midnight, for tests and benchmarks of the engines; `toProblem` sorts out its possible starts by hand.
import type { Problem, Weights } from "../types";

export type DaySpan = { day: number; from: number; until: number };
export type InstancePlace = { doctor: number; day: number; start: number; option: number };
export type InstanceVisit = {
  id: number;
  treatment: number;
  patient: number;
  pinned: boolean;
  told: boolean;
  priority: number;
  current: InstancePlace | null;
  preferredDoctor: number | null;
  requestedDay: number | null;
  window: { from: number; until: number } | null;
};
export type InstanceTreatment = { id: number; minutes: number; type: string; limit: number | null; options: number[][] };
export type InstanceDoctor = { id: number; type: string; limit: number | null; shifts: DaySpan[]; absences: DaySpan[] };
export type Instance = {
  name: string;
  grid: number;
  days: number;
  opens: number;
  closes: number;
  clinicLimit: number | null;
  doctorLimit: number;
  closed: DaySpan[];
  doctors: InstanceDoctor[];
  equipment: { id: number; quantity: number; outages: (DaySpan & { units: number })[] }[];
  treatments: InstanceTreatment[];
  visits: InstanceVisit[];
  weights: Weights;
};

export const usualWeights: Weights = {
  unassigned: 100_000,
  movedTold: 1000,
  movedUntold: 200,
  doctorChanged: 300,
  perDayMoved: 100,
  perQuarterMoved: 1,
  otherDoctor: 300,
  perDayOff: 100,
  outsideWindow: 50,
  loadPair: 5,
  gapPerFiveMinutes: 0,
};

const dayMinutes = 1440;
const minuteOf = (day: number, minute: number) => day * dayMinutes + minute;
const spanOf = ({ day, from, until }: DaySpan) => ({ from: minuteOf(day, from), until: minuteOf(day, until) });
export const touches = (a: DaySpan, b: DaySpan): boolean => a.day === b.day && a.from < b.until && b.from < a.until;

/** Pinned visits become what is taken; starts are those at which a visit could be if it were alone with them out of the way. */
export function toProblem(instance: Instance): Problem {
  const movable = instance.visits.filter(({ pinned }) => !pinned);
  const pinned = instance.visits.flatMap((visit) => (visit.pinned && visit.current ? [{ ...visit, place: visit.current }] : []));
  const doctorIndex = new Map(instance.doctors.map(({ id }, index) => [id, index]));
  const equipmentIndex = new Map(instance.equipment.map(({ id }, index) => [id, index]));
  const treatmentIndex = new Map(instance.treatments.map(({ id }, index) => [id, index]));
  const patients = [...new Set(movable.map(({ patient }) => patient))];
  const treatmentOf = (id: number) => instance.treatments.find((one) => one.id === id) as InstanceTreatment;
  const limitOf = (treatment: InstanceTreatment, doctor: InstanceDoctor) => treatment.limit ?? doctor.limit ?? instance.doctorLimit;
  const heldBy = ({ place, treatment }: (typeof pinned)[number]) => {
    const from = minuteOf(place.day, place.start);
    return { from, until: from + treatmentOf(treatment).minutes };
  };
  const starts = allStarts(instance);
  return {
    days: instance.days,
    starts: starts.map(({ day, clock }) => ({ day, clock, at: minuteOf(day, clock) })),
    doctors: instance.doctors.map((doctor) => {
      const own = pinned.filter(({ place }) => place.doctor === doctor.id);
      return {
        id: String(doctor.id),
        taken: own.map((visit) => ({ ...heldBy(visit), limit: limitOf(treatmentOf(visit.treatment), doctor) })),
        visitsByDay: Array.from({ length: instance.days }, (_, day) => own.filter(({ place }) => place.day === day).length),
      };
    }),
    equipment: instance.equipment.map(({ id, quantity, outages }) => ({
      id: String(id),
      units: quantity,
      out: outages.map((out) => ({ ...spanOf(out), units: out.units })),
      taken: pinned
        .filter(({ treatment, place }) => treatmentOf(treatment).options[place.option]?.includes(id))
        .map((visit) => heldBy(visit)),
    })),
    treatments: instance.treatments.map((treatment) => ({
      id: String(treatment.id),
      minutes: treatment.minutes,
      before: 0,
      after: 0,
      limits: instance.doctors.map((doctor) => limitOf(treatment, doctor)),
      options: (treatment.options.length > 0 ? treatment.options : [[]]).map((option) =>
        option.map((id) => ({ equipment: equipmentIndex.get(id) ?? -1, offset: 0, minutes: treatment.minutes })),
      ),
      starts: instance.doctors.map((doctor) =>
        [...starts.keys()].filter((index) => starts[index]?.onGrid && isOpen(instance, treatment, doctor, starts[index])),
      ),
    })),
    patients: patients.map((patient) => ({ taken: pinned.filter((visit) => visit.patient === patient).map(heldBy) })),
    clinic: { limit: instance.clinicLimit, taken: pinned.map(heldBy) },
    visits: movable.map((visit) => {
      const { current } = visit;
      const treatment = treatmentOf(visit.treatment);
      const start = starts.findIndex(({ day, clock }) => day === current?.day && clock === current.start);
      const doctor = instance.doctors.find(({ id }) => id === current?.doctor);
      const mayStay = current && doctor && start >= 0 && isOpen(instance, treatment, doctor, starts[start] as StartTime);
      return {
        id: String(visit.id),
        treatment: treatmentIndex.get(visit.treatment) ?? -1,
        patient: patients.indexOf(visit.patient),
        told: visit.told,
        priority: visit.priority,
        known: current && {
          doctor: doctorIndex.get(current.doctor) ?? -1,
          at: minuteOf(current.day, current.start),
          day: current.day,
          clock: current.start,
        },
        stay: mayStay ? { doctor: doctorIndex.get(current.doctor) ?? -1, start, option: current.option } : null,
        wish: { doctor: doctorIndex.get(visit.preferredDoctor ?? -1) ?? null, day: visit.requestedDay, window: visit.window },
      };
    }),
    weights: instance.weights,
    pinnedViolations: [],
  };
}

type StartTime = { day: number; clock: number; onGrid: boolean };

/** The grid of each day, and where visits are off it now. */
function allStarts({ grid, days, opens, closes, visits }: Instance): StartTime[] {
  const starts = new Map<number, StartTime>();
  for (const { current, pinned } of visits)
    if (current && !pinned) starts.set(minuteOf(current.day, current.start), { day: current.day, clock: current.start, onGrid: false });
  for (let day = 0; day < days; day += 1)
    for (let clock = opens; clock < closes; clock += grid) starts.set(minuteOf(day, clock), { day, clock, onGrid: true });
  return [...starts].sort(([a], [b]) => a - b).map(([, start]) => start);
}

function isOpen(instance: Instance, treatment: InstanceTreatment, doctor: InstanceDoctor, start: StartTime | undefined): boolean {
  if (!start || doctor.type !== treatment.type) return false;
  const visit = { day: start.day, from: start.clock, until: start.clock + treatment.minutes };
  return (
    visit.until <= instance.closes &&
    doctor.shifts.some(({ day, from, until }) => day === visit.day && from <= visit.from && visit.until <= until) &&
    ![...doctor.absences, ...instance.closed].some((span) => touches(span, visit))
  );
}
