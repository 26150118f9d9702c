import { equipmentChooser, optionsOf, usageOf } from "./choose-equipment";
import { type ClinicTime, clinicTime, doctorClaimSeats } from "./clinic-time";
import { minuteMs, type Span, toIso } from "./local-time";
import { intersectSpans, subtractSpans, touching } from "./spans";
import { namedDoctor, nowOf, patientResource, type Subject, type Wish } from "./subject";
import type { Blocker, BlockerCode, ClinicFacts, DoctorFact, EquipmentFact } from "./types";

type Found = Span & { code: BlockerCode; subject?: Blocker["subject"]; label?: string; appointmentRef?: string | null };

/** Everything that keeps a wish from this start, by name: what the clinic, then equipment and patient, then the doctor says. Never empty. */
export function explainRefusal(facts: ClinicFacts, wish: Wish & { startsAt: number }, subject: Subject | undefined): Blocker[] {
  const at = wish.startsAt;
  if (!subject) return [toBlocker(facts, { code: unknownCode(facts, wish), from: at, until: at })];
  const time = clinicTime(facts);
  const visit = { from: at, until: at + subject.durationMs };
  const shared = [
    ...clinicFindings(time, wish, subject, visit),
    ...equipmentFindings(time, subject, visit),
    ...patientFindings(time, subject, visit),
  ];
  // what stops everybody is enough of an answer to "any doctor"
  const found = shared.length > 0 && !namedDoctor(wish) ? shared : [...shared, ...doctorFindings(time, wish, subject, visit)];
  if (found.length === 0) throw new Error("a start was refused without a reason: the sweep and its explanation disagree");
  return found.map((one) => toBlocker(facts, one));
}

function unknownCode(facts: ClinicFacts, wish: Wish): BlockerCode {
  if (!facts.treatments.some(({ id, active }) => active && id === wish.treatmentId)) return "TREATMENT_UNKNOWN";
  const doctorId = namedDoctor(wish);
  if (doctorId && !facts.doctors.some(({ id, active }) => active && id === doctorId)) return "DOCTOR_UNKNOWN";
  return "PATIENT_UNKNOWN";
}

function clinicFindings(time: ClinicTime, wish: Wish & { startsAt: number }, subject: Subject, visit: Span): Found[] {
  const { clinic } = time.facts;
  const found: Found[] = [];
  const now = nowOf(time.facts, wish);
  if (visit.from < now) found.push({ code: "IN_THE_PAST", from: visit.from, until: now });
  found.push(...subtractSpans([visit], time.open).map((span): Found => ({ code: "OUTSIDE_HOURS", ...span })));
  const within = time.opening.filter(({ from, until }) => from <= visit.from && visit.from < until);
  const gridMs = clinic.gridMinutes * minuteMs;
  if (within.length > 0 && within.every(({ from }) => (visit.from - from) % gridMs !== 0)) found.push({ code: "OFF_GRID", ...visit });
  found.push(...touching(time.obstacles, visit));
  if (clinic.resource) {
    const full = time.profileOf(clinic.resource, subject.ignore).full(null);
    found.push(...intersectSpans(full, [visit]).map((span): Found => ({ code: "CLINIC_FULL", ...span })));
  }
  return found;
}

function equipmentFindings(time: ClinicTime, subject: Subject, visit: Span): Found[] {
  const needs = subject.treatment.needs.map((need) => ({ usage: usageOf(need, subject, visit.from), options: optionsOf(time, need) }));
  const found = needs.flatMap(({ usage, options }): Found[] => {
    if (options.length === 0) return [{ code: "NO_EQUIPMENT", subject: subjectOfTreatment(subject), ...usage }];
    const reasons = options.map((device) => deviceFindings(time, subject, device, usage));
    return reasons.some((list) => list.length === 0) ? [] : reasons.flat();
  });
  if (found.length > 0 || equipmentChooser(time, subject)(visit.from)) return found;
  // each need can be met alone, but not all of them: they share devices
  const devices = [...new Set(needs.flatMap(({ options }) => options))];
  return devices.map((device) => ({ code: "EQUIPMENT_TAKEN", subject: subjectOfDevice(device), ...visit }));
}

function deviceFindings(time: ClinicTime, subject: Subject, device: EquipmentFact, usage: Span): Found[] {
  const full = time.profileOf({ id: device.resourceId, seats: device.resourceSeats }, subject.ignore).full(null);
  const blocked = intersectSpans(full, [usage]);
  return [
    ...outagesIn(time, device.resourceId, blocked).map(
      (outage): Found => ({ code: "EQUIPMENT_OUT", subject: subjectOfDevice(device), ...outage }),
    ),
    ...holders(time, subject, device.resourceId, blocked).map(
      (claim): Found => ({ code: "EQUIPMENT_TAKEN", subject: subjectOfDevice(device), ...claim }),
    ),
  ];
}

function patientFindings(time: ClinicTime, subject: Subject, visit: Span): Found[] {
  if (!subject.patient) return [];
  const blocked = intersectSpans(time.profileOf(patientResource(subject.patient), subject.ignore).full(null), [visit]);
  const named = { kind: "PATIENT" as const, ref: subject.patient.ref, name: null };
  return holders(time, subject, subject.patient.resourceId, blocked).map(
    (claim): Found => ({ code: "PATIENT_TAKEN", subject: named, ...claim }),
  );
}

function doctorFindings(time: ClinicTime, wish: Wish, subject: Subject, visit: Span): Found[] {
  if (subject.doctors.length === 0) {
    const named = time.facts.doctors.find(({ id }) => id === namedDoctor(wish));
    return [named ? { code: "PROVIDER_TYPE", subject: subjectOfDoctor(named), ...visit } : { code: "NO_DOCTOR", ...visit }];
  }
  const claim = { from: visit.from - subject.beforeMs, until: visit.until + subject.afterMs };
  return subject.doctors.flatMap((doctor): Found[] => {
    const { shifts, obstacles } = time.timeOf(doctor);
    const profile = time.profileOf({ id: doctor.resourceId, seats: doctor.resourceSeats }, subject.ignore);
    const blocked = intersectSpans(profile.full(doctorClaimSeats(time.facts, subject.treatment, doctor)), [claim]);
    const found = [
      ...subtractSpans([visit], shifts).map((span): Found => ({ code: "OUTSIDE_SHIFT", ...span })),
      ...touching(obstacles, visit),
      ...outagesIn(time, doctor.resourceId, blocked).map((outage): Found => ({ code: "DOCTOR_ABSENT", ...outage })),
      ...holders(time, subject, doctor.resourceId, blocked).map((held): Found => ({ code: "DOCTOR_TAKEN", ...held })),
    ];
    return found.map((one) => ({ ...one, subject: subjectOfDoctor(doctor) }));
  });
}

/** What is out where a resource is full. */
const outagesIn = (time: ClinicTime, resourceId: string, blocked: readonly Span[]) =>
  time
    .outagesOf(resourceId)
    .filter((outage) => touching(blocked, outage).length > 0)
    .map(({ from, until, reason }) => ({ from, until, label: reason }));

/** The visits that fill a resource where it is full. */
function holders(time: ClinicTime, subject: Subject, resourceId: string, blocked: readonly Span[]) {
  return time
    .claimsOf(resourceId)
    .filter((claim) => !claim.overridden && (subject.ignore === undefined || claim.appointmentId !== subject.ignore))
    .filter((claim) => touching(blocked, claim).length > 0)
    .map(({ from, until, appointmentRef }) => ({ from, until, appointmentRef }));
}

const subjectOfDoctor = ({ ref, name }: DoctorFact) => ({ kind: "DOCTOR" as const, ref, name });
const subjectOfDevice = ({ ref, name }: EquipmentFact) => ({ kind: "EQUIPMENT" as const, ref, name });
const subjectOfTreatment = ({ treatment: { ref, name } }: Subject) => ({ kind: "TREATMENT" as const, ref, name });

function toBlocker({ clinic }: ClinicFacts, found: Found): Blocker {
  return {
    code: found.code,
    subject: found.subject ?? { kind: "CLINIC", ref: clinic.ref, name: clinic.name },
    label: found.label ?? null,
    from: toIso(found.from),
    until: toIso(found.until),
    appointmentRef: found.appointmentRef ?? null,
  };
}
