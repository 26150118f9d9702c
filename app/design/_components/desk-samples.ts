// The clinic day of the /design page.
import type { PendingCommand } from "@/app/(desk)/desk/_components/pending-command";
import type { Try } from "@/app/(desk)/desk/_components/use-keyed-command";
import type { HistoryEntry } from "@/server/domain/appointments/history";
import type { NextAction } from "@/server/domain/appointments/next-actions";
import { type AppointmentAction, type AppointmentState, appointmentActions } from "@/server/domain/appointments/states";
import type { AffectedView } from "@/server/domain/clinics/fact-types";
import type { ListedFact } from "@/server/domain/clinics/list-facts";
import type { Blocker, Slot } from "@/server/domain/clinics/types";
import type { DeskBlock, DeskDay, DeskVisit } from "@/server/domain/operations/desk-day";
import type { PatientView } from "@/server/domain/patients/types";
import { at, day, zone } from "./samples";

const off: NextAction = { allowed: false, why: "NOT_ITS_DAY" };
const noActions = Object.fromEntries(appointmentActions.map((action) => [action, off])) as Record<AppointmentAction, NextAction>;

export const visitOf = (status: AppointmentState): DeskVisit => ({
  id: status,
  ref: "APT-R2F900",
  version: "2",
  status,
  startsAt: day("14:00"),
  endsAt: day("14:40"),
  doctorId: "d1",
  treatment: "Consultation",
  treatmentId: "t1",
  source: "DESK",
  patient: { id: "p1", ref: "PT-8YB500", name: status === "REQUESTED" ? null : "Jonas Albrecht" },
  equipment: [],
  actions: noActions,
});

export const blocks: DeskBlock[] = (
  [
    ["OUTSIDE_HOURS", "08:00", "09:00", null],
    ["BREAK", "09:30", "10:00", "Break"],
    ["ABSENT", "10:30", "11:30", "Training"],
    ["OUT_OF_SHIFT", "12:00", "13:00", null],
    ["OUTAGE", "13:30", "14:00", "Laser"],
    ["CLOSED", "14:30", "15:30", "Renovation"],
    ["HOLIDAY", "16:00", "17:00", "Assumption"],
  ] as const
).map(([kind, from, until, label]) => ({ columnId: null, kind, from: day(from), until: day(until), label }));
export const blocksFrom = Date.parse(day("08:00"));

const person: PatientView = {
  id: "p1",
  ref: "PT-6RM100",
  name: "Marta Lindqvist",
  phone: "+49 172 555 0142",
  email: "marta@example.org",
  birthDate: "1984-03-12",
  language: "en",
  lastVisit: "2026-06-03",
};
export const people = {
  marked: person,
  sameAsAbove: { ...person, id: "p2", ref: "PT-X04D00", name: "Märta Lindkvist", phone: null, lastVisit: null },
  never: { ...person, id: "p3", ref: "PT-K9A200", birthDate: null, lastVisit: null },
};

export const blockers: (Blocker & { visit: { patient: string; treatment: string } | null })[] = [
  {
    code: "DOCTOR_TAKEN",
    subject: { kind: "DOCTOR", ref: "D-01", name: "D-01" },
    label: null,
    from: day("20:40"),
    until: day("21:20"),
    appointmentRef: "APT-1B6N00",
    visit: { patient: "Jonas Albrecht", treatment: "Consultation" },
  },
  {
    code: "BREAK",
    subject: { kind: "DOCTOR", ref: "D-02", name: "D-02" },
    label: "Break",
    from: day("21:00"),
    until: day("21:30"),
    appointmentRef: null,
    visit: null,
  },
];

export const change: HistoryEntry = {
  version: "3",
  change: "STATUS_CHANGED",
  at: day("14:06"),
  fromStatus: "CONFIRMED",
  toStatus: "CHECKED_IN",
  fromStartsAt: null,
  toStartsAt: day("15:30"),
  fromDoctorId: null,
  toDoctorId: "d1",
  reasonCode: null,
  note: null,
  actorRef: "ST-000031",
  actorKind: "person",
  source: "DESK",
  commandId: "019c1f00-0000-7000-8000-000000000001",
};

const thing = { providerType: null, detail: "", visits: 2 };
export const openDay: DeskDay & { load: null } = {
  asOf: new Date(at).toISOString(),
  clinic: { id: "CL-203000", ref: "CL-203000", name: "Harbour", zone, gridMinutes: 10 },
  date: "2026-08-18",
  today: "2026-08-18",
  from: day("12:00"),
  until: day("17:00"),
  open: [{ from: day("12:00"), until: day("17:00") }],
  columns: [
    { ...thing, id: "d1", kind: "DOCTOR", ref: "D-01", name: "D-01", detail: "Surgery" },
    { ...thing, id: "d2", kind: "DOCTOR", ref: "D-02", name: "D-02", visits: 1 },
    { ...thing, id: "e1", kind: "DEVICE", ref: "EQ-01", name: "Laser", detail: "2×" },
    { ...thing, id: "e2", kind: "ROOM", ref: "EQ-02", name: "Room 1", visits: 0 },
  ],
  blocks: [
    { columnId: null, kind: "BREAK", from: day("12:00"), until: day("12:30"), label: "Break" },
    { columnId: "d2", kind: "ABSENT", from: day("15:00"), until: day("17:00"), label: "Training" },
    { columnId: "e1", kind: "OUTAGE", from: day("16:00"), until: day("17:00"), label: null },
  ],
  visits: [
    visitAt("12:40", "13:20", "d1", "COMPLETED"),
    visitAt("14:00", "14:40", "d1", "IN_PROGRESS"),
    visitAt("14:20", "14:40", "d1", "REQUESTED"),
    visitAt("13:00", "14:00", "d2", "CHECKED_IN"),
    visitAt("15:30", "16:00", "d2", "PENDING_RESCHEDULE"),
  ],
  treatments: [{ id: "t1", ref: "TR-01", name: "Consultation", durationMinutes: 40, providerType: null, usesEquipment: true }],
  load: null,
};

function visitAt(from: string, until: string, doctorId: string, status: AppointmentState): DeskVisit {
  const [startsAt, endsAt] = [day(from), day(until)];
  const equipment = status === "IN_PROGRESS" ? [{ equipmentId: "e1", from: startsAt, until: endsAt }] : [];
  return { ...visitOf(status), id: `${doctorId}.${from}`, startsAt, endsAt, doctorId, equipment };
}

/** A command whose answer did not come, and what was tried. */
export const pending: PendingCommand = {
  key: "7c1e4d20-5b1f-4c47-9f0a-3a5d1c0ea94f",
  command: { operation: "cancel", appointmentId: "a", version: "2", change: { reasonCode: "OTHER" } },
  sentAt: [at],
  keptUntil: at + 86_400_000,
};
export const tries: Try[] = [
  { atMs: at, end: "NO_ANSWER" },
  { atMs: at + 10_000, end: "TOLD_TO_WAIT" },
  { atMs: at + 12_000, end: "NOT_STORED" },
  { atMs: at + 16_000, end: "SENDING" },
];

const slot = (clock: string, doctorIds: string[]): Slot => ({
  startsAt: day(clock),
  endsAt: day(clock),
  localStart: `2026-08-18T${clock}`,
  utcOffset: "+02:00",
  repeated: false,
  doctorIds,
  freeSeats: doctorIds.length,
});
export const slots: Slot[] = [
  slot("12:40", ["d1", "d2"]),
  slot("14:00", ["d1"]),
  slot("14:40", ["d2"]),
  { ...slot("16:00", ["d1"]), startsAt: "2026-10-25T00:20:00Z", localStart: "2026-10-25T02:20", repeated: true },
  { ...slot("16:00", ["d1"]), startsAt: "2026-10-25T01:20:00Z", localStart: "2026-10-25T02:20", utcOffset: "+01:00", repeated: true },
];

const fact = (kind: ListedFact["kind"], more: Partial<ListedFact>): ListedFact => ({
  kind,
  id: kind,
  version: "1",
  doctorId: "d1",
  equipmentId: null,
  units: null,
  weekday: null,
  from: "2026-08-18T15:00",
  until: "2026-08-18T17:00",
  fromInstant: day("15:00"),
  untilInstant: day("17:00"),
  words: "Training",
  actions: { change: { allowed: true }, end: { allowed: true } },
  ...more,
});
const over = { allowed: false, why: "FACT_OVER" } as const;
export const facts: ListedFact[] = [
  fact("absence", {}),
  fact("break", { weekday: 2, from: "12:00", until: "12:30", fromInstant: null, untilInstant: null, words: "Break" }),
  fact("outage", { units: 1, words: "", actions: { change: over, end: over } }),
];

export const affected: AffectedView = {
  count: 5,
  visits: (["CONFIRMED", "REQUESTED"] as const).map((status) => {
    const { id, ref, startsAt, endsAt, doctorId, patient } = visitOf(status);
    return { id, ref, status, startsAt, endsAt, doctorId, patientRef: patient.ref };
  }),
  days: [{ date: "2026-08-18", visits: 5 }],
};
