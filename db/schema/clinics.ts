// The facts that decide when a visit can take place. Written by clinic set-up and the desk (closures, absences, outages); read by the
// availability function for slots, commands and the solver. Every write bumps planning_scopes.fact_version (trigger of migration 0001).
// Local times are kept as the clinic's wall clock beside the instants that code derived from them: SQL never converts zones.
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  date,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  smallint,
  text,
  time,
  unique,
  uuid,
} from "drizzle-orm/pg-core";
import { clinicId, counter, createdAt, id, tenantGroupId, tstzrange, wallClock } from "./columns";
import { tenantGroups } from "./scope";

/** One row for each doctor, device, room and patient, and for a clinic that has a limit of its own. A doctor of two clinics is one resource. */
export const resources = pgTable(
  "resources",
  {
    id: id(),
    tenantGroupId: tenantGroupId().references(() => tenantGroups.id),
    kind: text().notNull(),
    seats: integer().notNull(),
    /** Bumped by every claim, so that writers of one resource meet on this row whatever their isolation. */
    claimsSeq: counter().notNull().default(sql`0`),
  },
  (t) => [
    unique("resources_tenant_key").on(t.tenantGroupId, t.id),
    check("resources_kind", sql`kind in ('DOCTOR', 'DEVICE', 'ROOM', 'PATIENT', 'CLINIC')`),
    check("resources_seats", sql`seats > 0`),
  ],
);

export const clinics = pgTable(
  "clinics",
  {
    id: id(),
    tenantGroupId: tenantGroupId().references(() => tenantGroups.id),
    ref: text().notNull(),
    name: text().notNull(),
    /** IANA zone, e.g. Europe/Berlin; checked by code when written. */
    zone: text().notNull(),
    gridMinutes: integer().notNull().default(15),
    /** Visits at a time of a doctor without a limit of its own. */
    defaultDoctorSeats: integer().notNull().default(1),
    /** Set when the clinic as a whole has a limit: every visit then claims this resource. */
    resourceId: uuid(),
    openOnHolidays: boolean().notNull().default(false),
    /** Of the weekly hours as a whole: what a change of them expects. */
    hoursVersion: counter().notNull().default(sql`1`),
    /** A replay of more records, or with an older one, needs a second person. */
    replayRecordsLimit: integer().notNull().default(100),
    replayAgeHoursLimit: integer().notNull().default(168),
    createdAt: createdAt(),
  },
  (t) => [
    unique("clinics_ref_key").on(t.tenantGroupId, t.ref),
    unique("clinics_tenant_key").on(t.tenantGroupId, t.id),
    foreignKey({ columns: [t.tenantGroupId, t.resourceId], foreignColumns: [resources.tenantGroupId, resources.id] }),
    check("clinics_grid", sql`grid_minutes between 5 and 120`),
    check("clinics_default_doctor_seats", sql`default_doctor_seats > 0`),
    check("clinics_replay_limits", sql`replay_records_limit >= 0 and replay_age_hours_limit >= 0`),
  ],
);

/** One row a clinic. Commands lock it FOR SHARE, fact writers change it: a closure saved at the same moment sees the visit or refuses it. */
export const planningScopes = pgTable(
  "planning_scopes",
  {
    tenantGroupId: tenantGroupId(),
    clinicId: uuid().primaryKey(),
    factVersion: counter().notNull().default(sql`0`),
    /** Events of the clinic's facts so far: the sequence of the last one. */
    eventSeq: counter().notNull().default(sql`0`),
  },
  (t) => [foreignKey({ columns: [t.tenantGroupId, t.clinicId], foreignColumns: [clinics.tenantGroupId, clinics.id] })],
);

/**
 * What changed in the facts, and by whom; written by the trigger that bumps the planning scope, in the transaction of the change, direct SQL included.
 * Append-only; grows with the writes of facts, not with the visits. A change of a column that decides no place (a name, a reason) leaves no row.
 */
export const factChanges = pgTable(
  "fact_changes",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    /** The planning scope's counter as this change left it: a snapshot of an older one has not seen the change. */
    factVersion: counter().notNull(),
    factTable: text().notNull(),
    factId: text().notNull(),
    change: text().notNull(),
    /** Of the columns below, unkeyed: facts of a clinic name no patient. */
    oldDigest: text(),
    newDigest: text(),
    /** The columns that decide, as they were and as they are; no name and no reason. */
    before: jsonb(),
    after: jsonb(),
    /** From the earlier start to the later end of both; null: a fact that holds always or every week. */
    during: tstzrange(),
    actorKind: text().notNull(),
    actorRef: text().notNull(),
    commandId: uuid(),
    at: createdAt(),
  },
  (t) => [
    index("fact_changes_clinic").on(t.clinicId, t.factVersion), // since a snapshot: where clinic_id and fact_version > $1 order by fact_version
    check("fact_changes_change", sql`change in ('ADDED', 'CHANGED', 'REMOVED')`),
    check(
      "fact_changes_sides",
      sql`(change = 'ADDED') = (before is null) and (change = 'REMOVED') = (after is null) and (before is null) = (old_digest is null) and (after is null) = (new_digest is null)`,
    ),
    check("fact_changes_actor", sql`actor_kind in ('person', 'token', 'worker', 'command-line', 'database')`),
  ],
);

const weight = () => integer().notNull();

/** What a calculated plan costs, one row a clinic; without a row the built-in weights hold. Whole numbers, so that costs are exact. */
export const planningWeights = pgTable(
  "planning_weights",
  {
    clinicId: uuid().primaryKey(),
    tenantGroupId: tenantGroupId(),
    unassigned: weight(),
    movedTold: weight(),
    movedUntold: weight(),
    doctorChanged: weight(),
    perDayMoved: weight(),
    perQuarterMoved: weight(),
    otherDoctor: weight(),
    perDayOff: weight(),
    outsideWindow: weight(),
    loadPair: weight(),
    gapPerFiveMinutes: weight(),
    version: counter().notNull().default(sql`1`),
  },
  (t) => [
    foreignKey({ columns: [t.tenantGroupId, t.clinicId], foreignColumns: [clinics.tenantGroupId, clinics.id] }),
    check("planning_weights_unassigned", sql`unassigned between 1 and 1000000`),
    check(
      "planning_weights_rest",
      sql`least(moved_told, moved_untold, doctor_changed, per_day_moved, per_quarter_moved, other_doctor, per_day_off, outside_window, load_pair, gap_per_five_minutes) >= 0 and greatest(moved_told, moved_untold, doctor_changed, per_day_moved, per_quarter_moved, other_doctor, per_day_off, outside_window, load_pair, gap_per_five_minutes) <= 100000`,
    ),
  ],
);

const ofClinic = (t: { tenantGroupId: never; clinicId: never }) =>
  foreignKey({ columns: [t.tenantGroupId, t.clinicId], foreignColumns: [clinics.tenantGroupId, clinics.id] });

export const doctors = pgTable(
  "doctors",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    ref: text().notNull(),
    name: text().notNull(),
    specialty: text().notNull(),
    /** A treatment that asks for a provider type takes only doctors of it. */
    providerType: text().notNull().default("DOCTOR"),
    /** Its own limit; null: the clinic's default. The resource's seats carry the result. */
    seats: integer(),
    resourceId: uuid().notNull(),
    active: boolean().notNull().default(true),
    /** Of the weekly shifts as a whole: what a change of them expects. */
    hoursVersion: counter().notNull().default(sql`1`),
  },
  (t) => [
    ofClinic(t as never),
    foreignKey({ columns: [t.tenantGroupId, t.resourceId], foreignColumns: [resources.tenantGroupId, resources.id] }),
    unique("doctors_ref_key").on(t.tenantGroupId, t.ref),
    unique("doctors_clinic_key").on(t.tenantGroupId, t.clinicId, t.id),
    check("doctors_seats", sql`seats > 0`),
  ],
);

/** Opening intervals by ISO weekday (1 = Monday). `closes` at or before `opens` is on the next day; several a day are usual. */
export const clinicHours = pgTable(
  "clinic_hours",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    weekday: smallint().notNull(),
    opens: time({ precision: 0 }).notNull(),
    closes: time({ precision: 0 }).notNull(),
  },
  (t) => [
    ofClinic(t as never),
    index("clinic_hours_clinic").on(t.clinicId), // facts of a clinic: where clinic_id
    check("clinic_hours_weekday", sql`weekday between 1 and 7`),
  ],
);

/** Shifts of a doctor, same form as clinic_hours; visits lie inside both. */
export const doctorHours = pgTable(
  "doctor_hours",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    doctorId: uuid().notNull(),
    weekday: smallint().notNull(),
    starts: time({ precision: 0 }).notNull(),
    ends: time({ precision: 0 }).notNull(),
  },
  (t) => [
    foreignKey({
      columns: [t.tenantGroupId, t.clinicId, t.doctorId],
      foreignColumns: [doctors.tenantGroupId, doctors.clinicId, doctors.id],
    }).onDelete("cascade"),
    index("doctor_hours_clinic").on(t.clinicId), // facts of a clinic: where clinic_id
    check("doctor_hours_weekday", sql`weekday between 1 and 7`),
  ],
);

/** Of the whole clinic (doctor null) or one doctor; every day (weekday null) or one weekday. */
export const breaks = pgTable(
  "breaks",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    doctorId: uuid(),
    weekday: smallint(),
    starts: time({ precision: 0 }).notNull(),
    ends: time({ precision: 0 }).notNull(),
    label: text().notNull().default("Break"),
    version: counter().notNull().default(sql`1`),
  },
  (t) => [
    ofClinic(t as never),
    foreignKey({
      columns: [t.tenantGroupId, t.clinicId, t.doctorId],
      foreignColumns: [doctors.tenantGroupId, doctors.clinicId, doctors.id],
    }).onDelete("cascade"),
    index("breaks_clinic").on(t.clinicId), // facts of a clinic: where clinic_id
    check("breaks_weekday", sql`weekday between 1 and 7`),
  ],
);

/** Full days, part of a day or several days: from and until are wall clock, `during` the same as instants. */
export const closures = pgTable(
  "closures",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    localFrom: wallClock().notNull(),
    localUntil: wallClock().notNull(),
    during: tstzrange().notNull(),
    reason: text().notNull(),
    version: counter().notNull().default(sql`1`),
    createdAt: createdAt(),
  },
  (t) => [
    ofClinic(t as never),
    index("closures_clinic").using("gist", t.clinicId, t.during), // facts of a range: where clinic_id and during && range
    check("closures_during", sql`not isempty(during) and local_from < local_until`),
  ],
);

export const absences = pgTable(
  "absences",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    doctorId: uuid().notNull(),
    localFrom: wallClock().notNull(),
    localUntil: wallClock().notNull(),
    during: tstzrange().notNull(),
    reason: text().notNull(),
    version: counter().notNull().default(sql`1`),
    createdAt: createdAt(),
  },
  (t) => [
    foreignKey({
      columns: [t.tenantGroupId, t.clinicId, t.doctorId],
      foreignColumns: [doctors.tenantGroupId, doctors.clinicId, doctors.id],
    }).onDelete("cascade"),
    index("absences_clinic").using("gist", t.clinicId, t.during), // facts of a range: where clinic_id and during && range
    check("absences_during", sql`not isempty(during) and local_from < local_until`),
  ],
);

export const holidays = pgTable(
  "holidays",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    onDate: date({ mode: "string" }).notNull(),
    name: text().notNull(),
  },
  (t) => [ofClinic(t as never), unique("holidays_key").on(t.tenantGroupId, t.clinicId, t.onDate)],
);

/** Devices and rooms. The resource's seats are the quantity. */
export const equipment = pgTable(
  "equipment",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    ref: text().notNull(),
    name: text().notNull(),
    kind: text().notNull(),
    quantity: integer().notNull().default(1),
    resourceId: uuid().notNull(),
    active: boolean().notNull().default(true),
  },
  (t) => [
    ofClinic(t as never),
    foreignKey({ columns: [t.tenantGroupId, t.resourceId], foreignColumns: [resources.tenantGroupId, resources.id] }),
    unique("equipment_ref_key").on(t.tenantGroupId, t.ref),
    unique("equipment_clinic_key").on(t.tenantGroupId, t.clinicId, t.id),
    check("equipment_kind", sql`kind in ('DEVICE', 'ROOM')`),
    check("equipment_quantity", sql`quantity > 0`),
  ],
);

/** Units of a device or room that are out for a time. Whoever adds one updates the resource row in the same transaction. */
export const resourceOutages = pgTable(
  "resource_outages",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    resourceId: uuid().notNull(),
    localFrom: wallClock().notNull(),
    localUntil: wallClock().notNull(),
    during: tstzrange().notNull(),
    units: integer().notNull(),
    reason: text().notNull(),
    version: counter().notNull().default(sql`1`),
    createdAt: createdAt(),
  },
  (t) => [
    ofClinic(t as never),
    foreignKey({ columns: [t.tenantGroupId, t.resourceId], foreignColumns: [resources.tenantGroupId, resources.id] }),
    index("resource_outages_resource").using("gist", t.resourceId, t.during), // claims trigger: where resource_id and during @> at
    check("resource_outages_during", sql`not isempty(during) and local_from < local_until`),
    check("resource_outages_units", sql`units > 0`),
  ],
);

/** Buffers widen the doctor's claim only. Its own seats make it a group treatment. */
export const treatments = pgTable(
  "treatments",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    ref: text().notNull(),
    name: text().notNull(),
    durationMinutes: integer().notNull(),
    bufferBeforeMinutes: integer().notNull().default(0),
    bufferAfterMinutes: integer().notNull().default(0),
    providerType: text(),
    seats: integer(),
    active: boolean().notNull().default(true),
  },
  (t) => [
    ofClinic(t as never),
    unique("treatments_ref_key").on(t.tenantGroupId, t.ref),
    unique("treatments_clinic_key").on(t.tenantGroupId, t.clinicId, t.id),
    check("treatments_duration", sql`duration_minutes between 5 and 720`),
    check("treatments_buffers", sql`buffer_before_minutes between 0 and 240 and buffer_after_minutes between 0 and 240`),
    check("treatments_seats", sql`seats > 0`),
  ],
);

/** A treatment needs all of its needs; each need is met by any one of its options, for its usage time. */
export const treatmentNeeds = pgTable(
  "treatment_needs",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    treatmentId: uuid().notNull(),
    position: smallint().notNull(),
    usageOffsetMinutes: integer().notNull().default(0),
    /** null: until the visit ends */
    usageMinutes: integer(),
  },
  (t) => [
    foreignKey({
      columns: [t.tenantGroupId, t.clinicId, t.treatmentId],
      foreignColumns: [treatments.tenantGroupId, treatments.clinicId, treatments.id],
    }).onDelete("cascade"),
    unique("treatment_needs_key").on(t.tenantGroupId, t.treatmentId, t.position),
    unique("treatment_needs_clinic_key").on(t.tenantGroupId, t.clinicId, t.id),
    check("treatment_needs_usage", sql`usage_offset_minutes >= 0 and usage_minutes > 0`),
  ],
);

export const treatmentNeedOptions = pgTable(
  "treatment_need_options",
  {
    id: bigint({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    needId: uuid().notNull(),
    equipmentId: uuid().notNull(),
    /** Lower is taken first. */
    preference: smallint().notNull().default(0),
  },
  (t) => [
    foreignKey({
      columns: [t.tenantGroupId, t.clinicId, t.needId],
      foreignColumns: [treatmentNeeds.tenantGroupId, treatmentNeeds.clinicId, treatmentNeeds.id],
    }).onDelete("cascade"),
    foreignKey({
      columns: [t.tenantGroupId, t.clinicId, t.equipmentId],
      foreignColumns: [equipment.tenantGroupId, equipment.clinicId, equipment.id],
    }),
    unique("treatment_need_options_key").on(t.needId, t.equipmentId),
  ],
);
