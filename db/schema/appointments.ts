// The business change itself. One row a visit, one history row a version, one claim a resource while the visit holds it.
// Written by the commands of server/domain/appointments only; a growing history is the audit of the visit and is never pruned.
import { sql } from "drizzle-orm";
import { bigint, boolean, check, date, foreignKey, index, integer, pgTable, text, unique, uuid } from "drizzle-orm/pg-core";
import { doctors, equipment, resources, treatments } from "./clinics";
import { clinicId, counter, createdAt, id, instant, tenantGroupId, tstzrange, wallClock } from "./columns";
import { patients } from "./patients";

export const appointmentStates = [
  "REQUESTED",
  "CONFIRMED",
  "PENDING_RESCHEDULE",
  "CHECKED_IN",
  "IN_PROGRESS",
  "COMPLETED",
  "NO_SHOW",
  "CANCELLED",
] as const;
const stateList = sql.raw(appointmentStates.map((s) => `'${s}'`).join(", "));

export const appointments = pgTable(
  "appointments",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    ref: text().notNull(),
    /** One step for each change; equals the number of history rows and the sequence of the last event. */
    version: counter().notNull().default(sql`1`),
    /** One step when time, doctor or equipment change, or the visit leaves the states that hold claims. */
    placementVersion: counter().notNull().default(sql`1`),
    status: text().notNull(),
    patientId: uuid().notNull(),
    doctorId: uuid().notNull(),
    treatmentId: uuid().notNull(),
    startsAt: instant().notNull(),
    endsAt: instant().notNull(),
    /** The clinic's calendar day and wall clock of the start, converted in code when written. */
    localDate: date({ mode: "string" }).notNull(),
    localStart: wallClock().notNull(),
    utcOffsetSeconds: integer().notNull(),
    /** Kept where it is by any calculated plan. */
    pinned: boolean().notNull().default(false),
    /** The placement version that the patient was last told of; null: not told yet. */
    toldPlacementVersion: counter(),
    /** DESK, API or IMPORT */
    source: text().notNull(),
    /** The command of the latest change. */
    commandId: uuid().notNull(),
    createdAt: createdAt(),
    updatedAt: instant().notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    unique("appointments_ref_key").on(t.tenantGroupId, t.ref),
    unique("appointments_tenant_key").on(t.tenantGroupId, t.id),
    foreignKey({ columns: [t.tenantGroupId, t.patientId], foreignColumns: [patients.tenantGroupId, patients.id] }),
    foreignKey({
      columns: [t.tenantGroupId, t.clinicId, t.doctorId],
      foreignColumns: [doctors.tenantGroupId, doctors.clinicId, doctors.id],
    }),
    foreignKey({
      columns: [t.tenantGroupId, t.clinicId, t.treatmentId],
      foreignColumns: [treatments.tenantGroupId, treatments.clinicId, treatments.id],
    }),
    index("appointments_day").on(t.clinicId, t.localDate, t.startsAt, t.id), // list: where clinic_id and local_date order by starts_at, id
    index("appointments_patient").on(t.tenantGroupId, t.patientId, t.startsAt), // visits of a patient: where patient_id order by starts_at
    check("appointments_status", sql`status in (${stateList})`),
    check("appointments_time", sql`starts_at < ends_at`),
    check("appointments_versions", sql`version > 0 and placement_version between 1 and version`),
    check("appointments_source", sql`source in ('DESK', 'API', 'IMPORT')`),
  ],
);

/** Which device or room each need of the treatment uses. */
export const appointmentEquipment = pgTable(
  "appointment_equipment",
  {
    id: bigint({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    appointmentId: uuid().notNull(),
    equipmentId: uuid().notNull(),
    during: tstzrange().notNull(),
  },
  (t) => [
    foreignKey({ columns: [t.tenantGroupId, t.appointmentId], foreignColumns: [appointments.tenantGroupId, appointments.id] }),
    foreignKey({
      columns: [t.tenantGroupId, t.clinicId, t.equipmentId],
      foreignColumns: [equipment.tenantGroupId, equipment.clinicId, equipment.id],
    }),
    index("appointment_equipment_appointment").on(t.appointmentId), // day: where appointment_id = any(visits)
  ],
);

/** Held in REQUESTED, CONFIRMED, CHECKED_IN and IN_PROGRESS. The trigger claims_within_seats refuses what exceeds a limit. */
export const resourceClaims = pgTable(
  "resource_claims",
  {
    id: bigint({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    appointmentId: uuid().notNull(),
    resourceId: uuid().notNull(),
    during: tstzrange().notNull(),
    /** A limit that this visit brings (group treatment); null: the resource's. */
    seats: integer(),
    /** Staff accepted a named clash; outside the count. */
    overridden: boolean().notNull().default(false),
    overriddenBy: uuid(),
    overrideReason: text(),
    clashesWith: uuid().array(),
  },
  (t) => [
    foreignKey({ columns: [t.tenantGroupId, t.appointmentId], foreignColumns: [appointments.tenantGroupId, appointments.id] }),
    foreignKey({ columns: [t.tenantGroupId, t.resourceId], foreignColumns: [resources.tenantGroupId, resources.id] }),
    index("resource_claims_resource").using("gist", t.resourceId, t.during), // trigger and availability: where resource_id and during && range
    index("resource_claims_appointment").on(t.appointmentId), // move, cancel: where appointment_id
    check("resource_claims_during", sql`not isempty(during) and lower_inc(during) and not upper_inc(during)`),
    check("resource_claims_seats", sql`seats > 0`),
    check(
      "resource_claims_override",
      sql`overridden = (overridden_by is not null) and overridden = (override_reason is not null) and overridden = (clashes_with is not null)`,
    ),
  ],
);

/** One row a version: who, when, why, from where. The note is the desk's own text and never leaves this table. */
export const appointmentHistory = pgTable(
  "appointment_history",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    appointmentId: uuid().notNull(),
    version: counter().notNull(),
    commandId: uuid().notNull(),
    change: text().notNull(),
    fromStatus: text(),
    toStatus: text().notNull(),
    fromStartsAt: instant(),
    toStartsAt: instant().notNull(),
    fromDoctorId: uuid(),
    toDoctorId: uuid().notNull(),
    actorKind: text().notNull(),
    actorId: text().notNull(),
    actorRef: text().notNull(),
    actorRole: text(),
    source: text().notNull(),
    reasonCode: text(),
    note: text(),
    at: createdAt(),
  },
  (t) => [
    foreignKey({ columns: [t.tenantGroupId, t.appointmentId], foreignColumns: [appointments.tenantGroupId, appointments.id] }),
    unique("appointment_history_version_key").on(t.tenantGroupId, t.appointmentId, t.version),
    index("appointment_history_command").on(t.commandId), // story: where command_id
    check("appointment_history_change", sql`change in ('CREATED', 'RESCHEDULED', 'CANCELLED', 'STATUS_CHANGED')`),
    check("appointment_history_status", sql`to_status in (${stateList}) and from_status in (${stateList})`),
    check("appointment_history_created", sql`(change = 'CREATED') = (from_status is null)`),
    check("appointment_history_actor", sql`actor_kind in ('person', 'token', 'worker')`),
    check("appointment_history_source", sql`source in ('DESK', 'API', 'IMPORT', 'WORKER')`),
    check("appointment_history_note", sql`length(note) <= 500`),
  ],
);

/** What daily-load-v1 has made of each visit, so that a redelivered or late event moves the counts once. */
export const dailyLoadVisits = pgTable(
  "daily_load_visits",
  {
    appointmentId: uuid().primaryKey(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    localDate: date({ mode: "string" }).notNull(),
    status: text().notNull(),
    /** The version whose event was applied; an event of this or an older one changes nothing. */
    version: counter().notNull(),
  },
  () => [check("daily_load_visits_status", sql`status in (${stateList})`)],
);

/** Projection of daily-load-v1: visits of a clinic's day by what became of them, as of the last event applied. */
export const dailyLoad = pgTable(
  "daily_load",
  {
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    localDate: date({ mode: "string" }).notNull(),
    booked: integer().notNull().default(0),
    arrived: integer().notNull().default(0),
    done: integer().notNull().default(0),
    noShow: integer().notNull().default(0),
    asOf: instant().notNull(),
  },
  (t) => [
    unique("daily_load_key").on(t.tenantGroupId, t.clinicId, t.localDate),
    check("daily_load_counts", sql`booked >= 0 and arrived >= 0 and done >= 0 and no_show >= 0`),
  ],
);
