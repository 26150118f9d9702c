import { z } from "zod";

const instant = z.string().describe("Instant in UTC.");
const wallClock = z.string().describe("The clinic's wall clock.");
const hours = z.object({
  weekday: z.int().min(1).max(7),
  from: z.string(),
  until: z.string().describe("At or before `from`: on the next day."),
});
const version = z.string().describe("Send it as If-Match.");
const period = z.object({ id: z.uuid(), version, localFrom: wallClock, localUntil: wallClock, from: instant, until: instant });
const reason = z.string();

export const slotList = z.object({
  asOf: instant,
  zone: z.string(),
  slots: z.array(
    z.object({
      startsAt: instant,
      endsAt: instant,
      localStart: wallClock,
      utcOffset: z.string(),
      repeated: z.boolean().describe("The clock shows this time twice: say the offset with it."),
      doctorIds: z.array(z.uuid()).describe("Who can take it; the first is the one that `any` gets."),
      freeSeats: z.int(),
    }),
  ),
});

export const clinicList = z.object({
  clinics: z.array(z.object({ id: z.uuid(), ref: z.string(), name: z.string(), zone: z.string(), gridMinutes: z.int() })),
});

export const clinicFactsView = z.object({
  asOf: instant,
  clinic: z.object({
    id: z.uuid(),
    ref: z.string(),
    name: z.string(),
    zone: z.string(),
    gridMinutes: z.int(),
    defaultDoctorSeats: z.int(),
    openOnHolidays: z.boolean(),
    hoursVersion: version,
    factVersion: z.string(),
    seats: z.int().nullable().describe("Visits at a time in the whole clinic; null: no such limit."),
  }),
  hours: z.array(hours),
  doctors: z.array(
    z.object({
      id: z.uuid(),
      ref: z.string(),
      name: z.string(),
      specialty: z.string(),
      providerType: z.string(),
      seats: z.int().nullable(),
      active: z.boolean(),
      hoursVersion: version,
      shifts: z.array(hours),
    }),
  ),
  treatments: z.array(
    z.object({
      id: z.uuid(),
      ref: z.string(),
      name: z.string(),
      durationMinutes: z.int(),
      bufferBeforeMinutes: z.int(),
      bufferAfterMinutes: z.int(),
      providerType: z.string().nullable(),
      seats: z.int().nullable(),
      active: z.boolean(),
      needs: z.array(
        z.object({ position: z.int(), usageOffsetMinutes: z.int(), usageMinutes: z.int().nullable(), equipmentIds: z.array(z.uuid()) }),
      ),
    }),
  ),
  equipment: z.array(
    z.object({
      id: z.uuid(),
      ref: z.string(),
      name: z.string(),
      kind: z.enum(["DEVICE", "ROOM"]),
      quantity: z.int(),
      active: z.boolean(),
    }),
  ),
  breaks: z.array(
    z.object({
      id: z.uuid(),
      doctorId: z.uuid().nullable(),
      weekday: z.int().nullable(),
      from: z.string(),
      until: z.string(),
      label: z.string(),
      version,
    }),
  ),
  holidays: z.array(z.object({ date: z.string(), name: z.string() })),
  closures: z.array(period.extend({ reason })),
  absences: z.array(period.extend({ doctorId: z.uuid() })),
  outages: z.array(period.extend({ reason, equipmentId: z.uuid().nullable(), units: z.int() })),
});
