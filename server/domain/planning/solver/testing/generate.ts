// Generated clinics of any size, the same for the same numbers: R = a full plan after an absence, an outage and a partial closure; F = fresh requests with
// wishes. 10 to 60 minute treatments, 30 % nurses, group treatments, shared devices, half-day shifts, a lunch break, repeat patients.
import { Random } from "../random";
import { type Instance, type InstancePlace, type InstanceTreatment, touches, usualWeights } from "./instance";

export type Spec = { kind: "R" | "F"; visits: number; doctors: number; days: number; grid: number; seed: number };

export const sizes: Record<number, Pick<Spec, "doctors" | "days" | "grid">> = {
  20: { doctors: 2, days: 1, grid: 15 },
  50: { doctors: 3, days: 2, grid: 10 },
  100: { doctors: 5, days: 2, grid: 10 },
  200: { doctors: 6, days: 3, grid: 10 },
  500: { doctors: 9, days: 5, grid: 10 },
  1000: { doctors: 16, days: 5, grid: 5 },
};
export const specOf = (kind: Spec["kind"], visits: number, seed: number): Spec => ({
  kind,
  visits,
  seed,
  ...(sizes[visits] ?? { doctors: 2, days: 1, grid: 15 }),
});

const [opens, closes, noon, afternoon] = [540, 1080, 750, 810];
const mix = [1, 1, 2, 2, 3, 4, 5, 5, 6, 7];
type Placed = { place: InstancePlace; treatment: InstanceTreatment; patient: number; until: number };

export function generate(spec: Spec): Instance {
  const random = new Random(spec.seed * 7919 + spec.visits);
  const instance = emptyClinic(spec, random);
  const placed: Placed[] = [];
  let patient = 0;
  for (let i = 0; i < spec.visits; i += 1) {
    patient = random.share() < 0.1 && i > 0 ? 1 + random.below(patient) : patient + 1;
    const who = random.share() < 0.1 ? Math.max(1, patient - 1) : patient;
    const found = findPlace(instance, placed, who, random);
    if (!found) continue;
    placed.push({ ...found, patient: who, until: found.place.start + found.treatment.minutes });
    addVisit(instance, spec, found, who, random);
  }
  if (spec.kind === "R") disrupt(instance, spec);
  return instance;
}

function emptyClinic({ kind, visits, doctors, days, grid, seed }: Spec, random: Random): Instance {
  const onGrid = (minutes: number) => Math.max(grid, Math.round(minutes / grid) * grid);
  const many = Math.max(1, Math.round(visits / days / 45));
  const nurses = nursesOf(doctors);
  const shift = (day: number) => {
    const share = random.share();
    if (doctors > 3 && share < 0.12) return { day, from: opens, until: 840 };
    if (doctors > 3 && share < 0.24) return { day, from: 780, until: closes };
    return { day, from: opens, until: closes };
  };
  const treatment = (id: number, minutes: number, type: string, limit: number | null, options: number[][]): InstanceTreatment => {
    return { id, minutes: onGrid(minutes), type, limit, options };
  };
  return {
    name: `${kind}${visits}-d${doctors}x${days}-g${grid}-s${seed}`,
    grid,
    days,
    opens,
    closes,
    clinicLimit: visits >= 50 ? doctors + 1 : null,
    doctorLimit: 1,
    closed: Array.from({ length: days }, (_, day) => ({ day, from: noon, until: afternoon })),
    doctors: Array.from({ length: doctors }, (_, i) => {
      const isNurse = i >= doctors - nurses;
      const shifts = Array.from({ length: days }, (_, day) => shift(day));
      return { id: i + 1, type: isNurse ? "NURSE" : "DOCTOR", limit: isNurse && i % 2 === 1 ? 2 : null, shifts, absences: [] };
    }),
    equipment: [many, 1, many].map((quantity, i) => ({ id: i + 1, quantity, outages: [] })),
    treatments: [
      treatment(1, 15, "DOCTOR", null, []),
      treatment(2, 30, "DOCTOR", null, []),
      treatment(3, 45, "DOCTOR", null, [[1], [2]]),
      treatment(4, 30, "DOCTOR", null, [[3]]),
      treatment(5, 30, "NURSE", null, []),
      treatment(6, 60, "NURSE", 3, []),
      treatment(7, 20, "NURSE", null, [[3]]),
    ],
    visits: [],
    weights: usualWeights,
  };
}

const nursesOf = (doctors: number): number => (doctors <= 2 ? 1 : Math.max(1, Math.round(doctors * 0.3)));

/** At random, mostly as early as the day allows: what a booked clinic looks like. */
function findPlace(instance: Instance, placed: Placed[], patient: number, random: Random) {
  for (let tries = 0; tries < 60; tries += 1) {
    const treatment = instance.treatments[(mix[random.below(mix.length)] as number) - 1] as InstanceTreatment;
    const doctors = instance.doctors.filter(({ type }) => type === treatment.type);
    const doctor = doctors[random.below(doctors.length)];
    const day = random.below(instance.days);
    const option = treatment.options.length > 0 ? random.below(treatment.options.length) : 0;
    const starts: number[] = [];
    for (let start = opens; start + treatment.minutes <= closes; start += instance.grid)
      if (fits(instance, placed, treatment, { doctor: doctor?.id ?? 0, day, start, option }, patient)) starts.push(start);
    if (starts.length > 0) {
      const start = (random.share() < 0.7 ? starts[0] : starts[random.below(starts.length)]) as number;
      return { treatment, place: { doctor: doctor?.id ?? 0, day, start, option } };
    }
  }
  return undefined;
}

function fits(instance: Instance, placed: Placed[], treatment: InstanceTreatment, place: InstancePlace, patient: number): boolean {
  const doctor = instance.doctors[place.doctor - 1];
  const visit = { day: place.day, from: place.start, until: place.start + treatment.minutes };
  if (!doctor?.shifts.some(({ day, from, until }) => day === visit.day && from <= visit.from && visit.until <= until)) return false;
  if (instance.closed.some((span) => touches(span, visit))) return false;
  const beside = placed.filter((one) => touches({ day: one.place.day, from: one.place.start, until: one.until }, visit));
  if (beside.some((one) => one.patient === patient)) return false;
  return [visit.from, ...beside.map((one) => one.place.start).filter((at) => at > visit.from)].every((at) => {
    const there = beside.filter((one) => one.place.start <= at && at < one.until);
    const same = there.filter((one) => one.place.doctor === place.doctor);
    const limits = [treatment, ...same.map((one) => one.treatment)].map(({ limit }) => limit ?? doctor.limit ?? 1);
    if (same.length + 1 > Math.min(...limits)) return false;
    if (instance.clinicLimit !== null && there.length + 1 > instance.clinicLimit) return false;
    return (treatment.options[place.option] ?? []).every((id) => {
      const users = there.filter((one) => one.treatment.options[one.place.option]?.includes(id)).length;
      return users + 1 <= (instance.equipment[id - 1]?.quantity ?? 0);
    });
  });
}

/** The draws keep their order whatever the kind, so that R and F of one seed are the same clinic. */
function addVisit(
  instance: Instance,
  { kind }: Spec,
  found: { treatment: InstanceTreatment; place: InstancePlace },
  patient: number,
  random: Random,
) {
  const { treatment, place } = found;
  const share = random.share();
  const isFresh = kind === "F";
  const doctors = instance.doctors.filter(({ type }) => type === treatment.type);
  const preferredDoctor =
    isFresh && random.share() < 0.6 ? (random.share() < 0.5 ? place.doctor : (doctors[random.below(doctors.length)]?.id ?? null)) : null;
  const requestedDay = isFresh ? (random.share() < 0.7 ? place.day : random.below(instance.days)) : null;
  const morning = { from: opens, until: noon };
  const isMorning = place.start < noon;
  const wantsMorning = () => (random.share() < 0.7 ? isMorning : !isMorning);
  const window = isFresh && random.share() < 0.5 ? (wantsMorning() ? morning : { from: 780, until: closes }) : null;
  instance.visits.push({
    id: 1000 + instance.visits.length,
    treatment: treatment.id,
    patient,
    pinned: !isFresh && share < 0.25,
    told: share < 0.8,
    priority: 1,
    current: isFresh ? null : place,
    preferredDoctor,
    requestedDay,
    window,
  });
}

/** The busiest doctor is away for a day, a device is out, the last hour is closed; a pinned visit that this breaks is no longer pinned. */
function disrupt(instance: Instance, { doctors, days, visits }: Spec): void {
  const day = days > 1 ? 1 : 0;
  const [busiest] = busiestDays(instance, doctors - nursesOf(doctors)).filter((one) => one.day === day);
  instance.doctors[(busiest?.doctor ?? 1) - 1]?.absences.push({ day, from: opens, until: doctors <= 2 ? 720 : closes });
  instance.equipment[2]?.outages.push({ day: 0, from: 600, until: 840, units: 1 });
  if (visits >= 200) instance.closed.push({ day: days - 1, from: 1020, until: closes });
  unpinBroken(instance);
}

/** More doctor-days, the fullest first, are lost at once. */
export function disruptHeavily(instance: Instance, more: number): Instance {
  const doctors = instance.doctors.filter(({ type }) => type === "DOCTOR").length;
  const left = busiestDays(instance, doctors).filter(
    ({ doctor, day }) => !instance.doctors[doctor - 1]?.absences.some((absence) => absence.day === day),
  );
  for (const { doctor, day } of left.slice(0, more)) instance.doctors[doctor - 1]?.absences.push({ day, from: opens, until: closes });
  unpinBroken(instance);
  return { ...instance, name: `${instance.name}+${more}` };
}

function busiestDays({ visits }: Instance, doctorsMax: number): { doctor: number; day: number; count: number }[] {
  const counts = new Map<string, { doctor: number; day: number; count: number }>();
  for (const { current } of visits) {
    if (!current || current.doctor > doctorsMax) continue;
    const key = `${current.doctor} ${current.day}`;
    const one = counts.get(key) ?? { doctor: current.doctor, day: current.day, count: 0 };
    counts.set(key, { ...one, count: one.count + 1 });
  }
  return [...counts.values()].sort((a, b) => b.count - a.count || a.doctor - b.doctor || a.day - b.day);
}

function unpinBroken(instance: Instance): void {
  for (const visit of instance.visits) {
    if (!visit.pinned || !visit.current) continue;
    const { current } = visit;
    const treatment = instance.treatments[visit.treatment - 1] as InstanceTreatment;
    const span = { day: current.day, from: current.start, until: current.start + treatment.minutes };
    const devices = treatment.options[current.option] ?? [];
    const outages = instance.equipment.filter(({ id }) => devices.includes(id)).flatMap((device) => device.outages);
    const obstacles = [...(instance.doctors[current.doctor - 1]?.absences ?? []), ...instance.closed, ...outages];
    if (obstacles.some((obstacle) => touches(obstacle, span))) visit.pinned = false;
  }
}
