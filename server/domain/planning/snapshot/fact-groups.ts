// Which column of which table decides where a visit can be, in which group of the version it is hashed, and which columns are left out and why.
// A test asks the catalogue: a column that is in none of the lists below makes it red, so that nobody adds a fact that a plan would not notice.
import type { AbsenceFact, ClosureFact, HoursFact, OutageFact } from "../../clinics/types";
import type { FactGroup, PlanningSnapshot } from "./types";

/** A value with its type: text, whole number, yes or no, instant (epoch microseconds). null is a value of its own, and "" another one. */
export type FactValue = string | null;
const text = (value: string | null): FactValue => (value === null ? null : `s:${value}`);
const int = (value: number | null): FactValue => (value === null ? null : `n:${value}`);
const bool = (value: boolean): FactValue => `b:${value}`;
const instant = (ms: number): FactValue => `t:${ms}000`;

/** The rows of one table as the snapshot has them. `columns` are hashed, in the order of their names. */
export type FactRecords = { table: string; group: FactGroup; rows: (snapshot: PlanningSnapshot) => Record<string, FactValue>[] };

const records = <R>(
  group: FactGroup,
  table: string,
  of: (snapshot: PlanningSnapshot) => readonly R[],
  columns: Record<string, (row: R) => FactValue>,
): FactRecords & { columns: string[] } => ({
  table,
  group,
  columns: Object.keys(columns),
  rows: (snapshot) => of(snapshot).map((row) => Object.fromEntries(Object.entries(columns).map(([name, read]) => [name, read(row)]))),
});

const seats = {
  id: (row: { id: string; seats: number }) => text(row.id),
  seats: (row: { id: string; seats: number }) => int(row.seats),
};
const period = {
  local_from: ({ localFrom }: ClosureFact) => text(localFrom),
  local_until: ({ localUntil }: ClosureFact) => text(localUntil),
  during: ({ from, until }: ClosureFact) => text(`${instant(from)} ${instant(until)}`),
};
const weekly = <R extends HoursFact>(from: string, until: string) => ({
  weekday: (row: R) => int(row.weekday),
  [from]: (row: R) => text(row.from),
  [until]: (row: R) => text(row.until),
});
const ownedSeats = (rows: readonly { resourceId: string; resourceSeats: number }[]) =>
  rows.map(({ resourceId, resourceSeats }) => ({ id: resourceId, seats: resourceSeats }));
const needsOf = ({ facts }: PlanningSnapshot) =>
  facts.treatments.flatMap((treatment) => treatment.needs.map((need) => ({ treatmentId: treatment.id, ...need })));

export const factRecords = [
  records("clinic", "clinics", ({ facts }) => [facts.clinic], {
    zone: ({ zone }) => text(zone),
    grid_minutes: ({ gridMinutes }) => int(gridMinutes),
    default_doctor_seats: ({ defaultDoctorSeats }) => int(defaultDoctorSeats),
    resource_id: ({ resource }) => text(resource?.id ?? null),
    open_on_holidays: ({ openOnHolidays }) => bool(openOnHolidays),
  }),
  records("clinic", "resources", ({ facts }) => (facts.clinic.resource ? [facts.clinic.resource] : []), seats),
  records("clinic", "holidays", ({ facts }) => facts.holidays, { on_date: ({ date }) => text(date) }),
  records("clinic", "planning_weights", ({ weights }) => [weights], {
    unassigned: (w) => int(w.unassigned),
    moved_told: (w) => int(w.movedTold),
    moved_untold: (w) => int(w.movedUntold),
    doctor_changed: (w) => int(w.doctorChanged),
    per_day_moved: (w) => int(w.perDayMoved),
    per_quarter_moved: (w) => int(w.perQuarterMoved),
    other_doctor: (w) => int(w.otherDoctor),
    per_day_off: (w) => int(w.perDayOff),
    outside_window: (w) => int(w.outsideWindow),
    load_pair: (w) => int(w.loadPair),
    gap_per_five_minutes: (w) => int(w.gapPerFiveMinutes),
  }),
  records("doctors", "doctors", ({ facts }) => facts.doctors, {
    id: ({ id }) => text(id),
    ref: ({ ref }) => text(ref), // of two doctors with as few visits the first by reference is taken
    provider_type: ({ providerType }) => text(providerType),
    seats: (doctor) => int(doctor.seats),
    resource_id: ({ resourceId }) => text(resourceId),
    active: ({ active }) => bool(active),
  }),
  records("doctors", "resources", ({ facts }) => ownedSeats(facts.doctors), seats),
  records(
    "doctors",
    "doctor_hours",
    ({ facts }) => facts.doctors.flatMap(({ id, shifts }) => shifts.map((shift) => ({ doctorId: id, ...shift }))),
    { doctor_id: ({ doctorId }) => text(doctorId), ...weekly("starts", "ends") },
  ),
  records("doctors", "absences", ({ facts }) => facts.absences, {
    doctor_id: ({ doctorId }: AbsenceFact) => text(doctorId),
    ...period,
  }),
  records("equipment", "equipment", ({ facts }) => facts.equipment, {
    id: ({ id }) => text(id),
    quantity: ({ quantity }) => int(quantity),
    resource_id: ({ resourceId }) => text(resourceId),
    active: ({ active }) => bool(active),
  }),
  records("equipment", "resources", ({ facts }) => ownedSeats(facts.equipment), seats),
  records("equipment", "resource_outages", ({ facts }) => facts.outages, {
    resource_id: ({ resourceId }: OutageFact) => text(resourceId),
    units: ({ units }: OutageFact) => int(units),
    ...period,
  }),
  records("equipment", "treatment_needs", needsOf, {
    treatment_id: ({ treatmentId }) => text(treatmentId),
    position: ({ position }) => int(position),
    usage_offset_minutes: ({ usageOffsetMinutes }) => int(usageOffsetMinutes),
    usage_minutes: ({ usageMinutes }) => int(usageMinutes),
  }),
  records(
    "equipment",
    "treatment_need_options",
    (snapshot) =>
      needsOf(snapshot).flatMap(({ treatmentId, position, equipmentIds }) =>
        equipmentIds.map((equipmentId, rank) => ({ need: `${treatmentId} ${position}`, equipmentId, rank })),
      ),
    {
      need_id: ({ need }) => text(need),
      equipment_id: ({ equipmentId }) => text(equipmentId),
      preference: ({ rank }) => int(rank), // the order decides, not the numbers that made it
    },
  ),
  records("closures", "closures", ({ facts }) => facts.closures, period),
  records("closures", "breaks", ({ facts }) => facts.breaks, {
    doctor_id: ({ doctorId }) => text(doctorId),
    weekday: ({ weekday }) => int(weekday),
    starts: ({ from }) => text(from),
    ends: ({ until }) => text(until),
  }),
  records("slots", "clinic_hours", ({ facts }) => facts.hours, weekly("opens", "closes")),
  records("slots", "treatments", ({ facts }) => facts.treatments, {
    id: ({ id }) => text(id),
    duration_minutes: ({ durationMinutes }) => int(durationMinutes),
    buffer_before_minutes: ({ bufferBeforeMinutes }) => int(bufferBeforeMinutes),
    buffer_after_minutes: ({ bufferAfterMinutes }) => int(bufferAfterMinutes),
    provider_type: ({ providerType }) => text(providerType),
    seats: (treatment) => int(treatment.seats),
    active: ({ active }) => bool(active),
  }),
] as const;

const scope = { tenant_group_id: "in the scope, which is hashed once", clinic_id: "in the scope, which is hashed once" };
const shown = "shown to people; decides nothing";
const ownId = "nothing refers to it: two rows with the same columns are the same fact twice";
const counted = "counts changes of the row; what changed is in the other columns";
const dated = { id: ownId, reason: shown, version: counted, created_at: "when it was entered decides nothing" };

/** Columns that no version covers, each with the reason. The triggers of fact_changes leave out the same. */
export const excludedColumns: Record<string, Record<string, string>> = {
  clinics: {
    id: scope.clinic_id,
    tenant_group_id: scope.tenant_group_id,
    ref: shown,
    name: shown,
    hours_version: counted,
    replay_records_limit: "a limit of replays",
    replay_age_hours_limit: "a limit of replays",
    created_at: dated.created_at,
  },
  resources: { tenant_group_id: scope.tenant_group_id, kind: "follows from whose it is", claims_seq: "counts bookings" },
  holidays: { id: ownId, ...scope, name: shown },
  planning_weights: { ...scope, version: counted },
  doctors: { ...scope, name: shown, specialty: "shown to people; provider_type decides", hours_version: counted },
  doctor_hours: { id: ownId, ...scope },
  absences: { ...dated, ...scope },
  equipment: { ...scope, ref: shown, name: shown, kind: "a room is used like a device" },
  resource_outages: { ...dated, ...scope },
  treatment_needs: { id: "its options name treatment and position instead", ...scope },
  treatment_need_options: { id: ownId, ...scope },
  closures: { ...dated, ...scope },
  breaks: { id: ownId, ...scope, label: shown, version: counted },
  clinic_hours: { id: ownId, ...scope },
  treatments: { ...scope, ref: shown, name: shown },
};

/** Groups that a changed row of a table can be in: one, but for limits, which are hashed with whoever has them. */
export const groupsOfTable = (table: string): FactGroup[] => [
  ...new Set(factRecords.filter((one) => one.table === table).map(({ group }) => group)),
];
