// Writes the facts of a clinic, with what follows from them: instants from wall clocks, resources with their seats. For the seed, tests and set-up.
// Global lock order: each function that changes facts locks the clinic's planning scope first (correctness: fact writers and applies meet there).

import type { Tx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { newRef, newUuid } from "@/server/ids";
import { addDays, isDate, isZone, localSpan, parseWallClock, toIso } from "./local-time";

/** A clinic with the zone that its wall clocks are read in: what every writer below works on. */
export type ClinicKey = { tenantGroupId: string; id: string; zone: string };
type Named = { id?: string; ref?: string; name: string };
/** "2027-02-09T10:00" to "2027-02-09T12:00", clinic time; or whole dates, the last one included. */
export type LocalPeriod = { from: string; until: string };

export type NewClinic = Named & {
  zone: string;
  gridMinutes?: number;
  defaultDoctorSeats?: number;
  /** Visits at a time in the whole clinic; left out: no such limit. */
  seats?: number;
  openOnHolidays?: boolean;
};

/** Changed by every fact writer, so that a booking (FOR SHARE) and a fact meet. Throws not-found when the clinic is not in scope. */
export async function lockPlanningScope(tx: Tx, clinic: { tenantGroupId: string; id: string }): Promise<void> {
  const rows = await tx.sql`
    select clinic_id from planning_scopes
    where tenant_group_id = ${clinic.tenantGroupId} and clinic_id = ${clinic.id}
    for no key update`;
  if (rows.length !== 1) throw new AppError("not-found");
}

/** A clinic is born with its planning scope. There is no default zone: one that is missing or unknown is refused. */
export async function insertClinic(tx: Tx, tenantGroupId: string, clinic: NewClinic): Promise<ClinicKey> {
  if (!isZone(clinic.zone)) throw new AppError("subject-invalid", "The clinic needs a time zone of the IANA database.");
  const resourceId = clinic.seats === undefined ? null : await insertResource(tx, tenantGroupId, "CLINIC", clinic.seats);
  const id = clinic.id ?? newUuid();
  await tx.sql`
    insert into clinics ${tx.sql({
      id,
      tenant_group_id: tenantGroupId,
      ref: clinic.ref ?? newRef("CL"),
      name: clinic.name,
      zone: clinic.zone,
      grid_minutes: clinic.gridMinutes ?? 15,
      default_doctor_seats: clinic.defaultDoctorSeats ?? 1,
      resource_id: resourceId,
      open_on_holidays: clinic.openOnHolidays ?? false,
    })}`;
  return { tenantGroupId, id, zone: clinic.zone };
}

export type NewDoctor = Named & {
  specialty?: string;
  providerType?: string;
  /** Visits at a time; left out: the clinic's default. */
  seats?: number;
  /** Of the same person at another clinic: one resource, so nobody is in two places. */
  resourceId?: string;
};

export async function insertDoctor(tx: Tx, clinic: ClinicKey, doctor: NewDoctor): Promise<{ id: string; resourceId: string }> {
  await lockPlanningScope(tx, clinic);
  const id = doctor.id ?? newUuid();
  const resourceId =
    doctor.resourceId ?? (await insertResource(tx, clinic.tenantGroupId, "DOCTOR", doctor.seats ?? (await defaultSeats(tx, clinic))));
  await tx.sql`
    insert into doctors ${tx.sql({
      ...keys(clinic, id),
      ref: doctor.ref ?? newRef("D"),
      name: doctor.name,
      specialty: doctor.specialty ?? "General practice",
      provider_type: doctor.providerType ?? "DOCTOR",
      seats: doctor.seats ?? null,
      resource_id: resourceId,
    })}`;
  return { id, resourceId };
}

export type NewEquipment = Named & { kind?: "DEVICE" | "ROOM"; quantity?: number };

/** A device or a room; its quantity is the seats of its resource. */
export async function insertEquipment(tx: Tx, clinic: ClinicKey, equipment: NewEquipment): Promise<{ id: string; resourceId: string }> {
  await lockPlanningScope(tx, clinic);
  const id = equipment.id ?? newUuid();
  const kind = equipment.kind ?? "DEVICE";
  const quantity = equipment.quantity ?? 1;
  const resourceId = await insertResource(tx, clinic.tenantGroupId, kind, quantity);
  const ref = equipment.ref ?? newRef(kind === "ROOM" ? "RM" : "EQ");
  await tx.sql`
    insert into equipment ${tx.sql({ ...keys(clinic, id), ref, name: equipment.name, kind, quantity, resource_id: resourceId })}`;
  return { id, resourceId };
}

export type NewTreatment = Named & {
  durationMinutes: number;
  bufferBeforeMinutes?: number;
  bufferAfterMinutes?: number;
  providerType?: string;
  /** Makes it a group treatment: so many visits of one doctor at a time. */
  seats?: number;
  /** All are needed; of each, any one of `equipmentIds` (first choice first), from `usageOffsetMinutes` on for `usageMinutes` (left out: to the end). */
  needs?: { equipmentIds: string[]; usageOffsetMinutes?: number; usageMinutes?: number }[];
};

export async function insertTreatment(tx: Tx, clinic: ClinicKey, treatment: NewTreatment): Promise<{ id: string }> {
  for (const { usageOffsetMinutes: from = 0, usageMinutes } of treatment.needs ?? []) {
    const until = usageMinutes === undefined ? treatment.durationMinutes : from + usageMinutes;
    if (from >= until || until > 720)
      throw new AppError("subject-invalid", "A device is used for some time, within 12 hours of the start.");
  }
  await lockPlanningScope(tx, clinic);
  const id = treatment.id ?? newUuid();
  await tx.sql`
    insert into treatments ${tx.sql({
      ...keys(clinic, id),
      ref: treatment.ref ?? newRef("TR"),
      name: treatment.name,
      duration_minutes: treatment.durationMinutes,
      buffer_before_minutes: treatment.bufferBeforeMinutes ?? 0,
      buffer_after_minutes: treatment.bufferAfterMinutes ?? 0,
      provider_type: treatment.providerType ?? null,
      seats: treatment.seats ?? null,
    })}`;
  const needs = (treatment.needs ?? []).map((need, position) => ({ ...need, position, id: newUuid() }));
  for (const need of needs) {
    await tx.sql`
      insert into treatment_needs ${tx.sql({
        ...keys(clinic, need.id),
        treatment_id: id,
        position: need.position,
        usage_offset_minutes: need.usageOffsetMinutes ?? 0,
        usage_minutes: need.usageMinutes ?? null,
      })}`;
    const options = need.equipmentIds.map((equipment_id, preference) => ({
      ...ofClinic(clinic),
      need_id: need.id,
      equipment_id,
      preference,
    }));
    if (options.length > 0) await tx.sql`insert into treatment_need_options ${tx.sql(options)}`;
  }
  return { id };
}

/** `weekdays` 1 = Monday … 7 = Sunday; `intervals` ["09:00", "12:00"], an end at or before the start is on the next day. */
export type WeeklyHours = { weekdays: number[]; intervals: [string, string][] };

/** Adds opening intervals of the clinic, or shifts of a doctor. */
export async function insertHours(tx: Tx, clinic: ClinicKey, hours: WeeklyHours & { doctorId?: string }): Promise<void> {
  await lockPlanningScope(tx, clinic);
  const rows = hours.weekdays.flatMap((weekday) => hours.intervals.map(([from, until]) => ({ weekday, from, until })));
  if (rows.length === 0) return;
  if (hours.doctorId === undefined)
    await tx.sql`insert into clinic_hours ${tx.sql(rows.map((row) => ({ ...ofClinic(clinic), weekday: row.weekday, opens: row.from, closes: row.until })))}`;
  else {
    const doctor_id = hours.doctorId;
    await tx.sql`
      insert into doctor_hours
      ${tx.sql(rows.map((row) => ({ ...ofClinic(clinic), doctor_id, weekday: row.weekday, starts: row.from, ends: row.until })))}`;
  }
}

/** Replaces the weekly hours of the clinic, or of one doctor. */
export async function replaceHours(tx: Tx, clinic: ClinicKey, hours: WeeklyHours & { doctorId?: string }): Promise<void> {
  await lockPlanningScope(tx, clinic);
  if (hours.doctorId === undefined) await tx.sql`delete from clinic_hours where clinic_id = ${clinic.id}`;
  else await tx.sql`delete from doctor_hours where clinic_id = ${clinic.id} and doctor_id = ${hours.doctorId}`;
  await insertHours(tx, clinic, hours);
}

export type NewBreak = { interval: [string, string]; weekdays?: number[]; doctorId?: string; label?: string };

export async function insertBreak(tx: Tx, clinic: ClinicKey, pause: NewBreak): Promise<void> {
  await lockPlanningScope(tx, clinic);
  const [starts, ends] = pause.interval;
  const common = { ...ofClinic(clinic), doctor_id: pause.doctorId ?? null, starts, ends, label: pause.label ?? "Break" };
  await tx.sql`insert into breaks ${tx.sql((pause.weekdays ?? [null]).map((weekday) => ({ ...common, weekday })))}`;
}

export async function insertHoliday(tx: Tx, clinic: ClinicKey, holiday: { date: string; name: string }): Promise<void> {
  await lockPlanningScope(tx, clinic);
  await tx.sql`insert into holidays ${tx.sql({ ...ofClinic(clinic), on_date: holiday.date, name: holiday.name })}`;
}

export async function insertClosure(tx: Tx, clinic: ClinicKey, closure: LocalPeriod & { reason: string }): Promise<{ id: string }> {
  await lockPlanningScope(tx, clinic);
  const id = newUuid();
  await tx.sql`insert into closures ${tx.sql({ ...keys(clinic, id), ...period(clinic, closure), reason: closure.reason })}`;
  return { id };
}

export type NewAbsence = LocalPeriod & { doctorId: string; reason?: string };

export async function insertAbsence(tx: Tx, clinic: ClinicKey, absence: NewAbsence): Promise<{ id: string }> {
  await lockPlanningScope(tx, clinic);
  const id = newUuid();
  const row = { ...keys(clinic, id), doctor_id: absence.doctorId, ...period(clinic, absence), reason: absence.reason ?? "Absent" };
  await tx.sql`insert into absences ${tx.sql(row)}`;
  return { id };
}

export type NewOutage = LocalPeriod & { resourceId: string; units?: number; reason?: string };

/** Units of a device or room that are out; all of them when `units` is left out. The resource row is changed with it, so that it meets the bookings. */
export async function insertOutage(tx: Tx, clinic: ClinicKey, outage: NewOutage): Promise<{ id: string }> {
  await lockPlanningScope(tx, clinic);
  const [resource] = await tx.sql<{ seats: number }[]>`
    update resources set claims_seq = claims_seq + 1
    where tenant_group_id = ${clinic.tenantGroupId} and id = ${outage.resourceId}
    returning seats`;
  if (!resource) throw new AppError("not-found");
  const id = newUuid();
  const units = outage.units ?? resource.seats;
  const row = {
    ...keys(clinic, id),
    resource_id: outage.resourceId,
    ...period(clinic, outage),
    units,
    reason: outage.reason ?? "Maintenance",
  };
  await tx.sql`insert into resource_outages ${tx.sql(row)}`;
  return { id };
}

async function insertResource(tx: Tx, tenantGroupId: string, kind: string, seats: number): Promise<string> {
  const id = newUuid();
  await tx.sql`insert into resources ${tx.sql({ id, tenant_group_id: tenantGroupId, kind, seats })}`;
  return id;
}

async function defaultSeats(tx: Tx, clinic: ClinicKey): Promise<number> {
  const [row] = await tx.sql<{ seats: number }[]>`select default_doctor_seats as seats from clinics where id = ${clinic.id}`;
  return row?.seats ?? 1;
}

const ofClinic = (clinic: ClinicKey) => ({ tenant_group_id: clinic.tenantGroupId, clinic_id: clinic.id });
const keys = (clinic: ClinicKey, id: string) => ({ id, ...ofClinic(clinic) });

/** The wall clocks as entered beside the instants that they mean in the clinic's zone. A bare date as end is that whole day. */
function period(clinic: ClinicKey, { from, until }: LocalPeriod) {
  const localFrom = isDate(from) ? `${from}T00:00` : from;
  const localUntil = isDate(until) ? `${addDays(until, 1)}T00:00` : until;
  const isOrdered = (parseWallClock(localFrom) ?? Number.NaN) < (parseWallClock(localUntil) ?? Number.NaN);
  const during = isOrdered ? localSpan(clinic.zone, localFrom, localUntil) : undefined;
  if (!during || during.from >= during.until) throw new AppError("subject-invalid", "The period needs a start before its end.");
  return { local_from: localFrom, local_until: localUntil, during: `[${toIso(during.from)},${toIso(during.until)})` };
}
