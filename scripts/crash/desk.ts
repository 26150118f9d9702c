import { Temporal } from "temporal-polyfill";
import type { ClinicFixture } from "@/server/domain/clinics/testing";
import type { PersonActor } from "@/server/domain/scope/actor";

/** The front desk of the clinic that `data` names. */
export const fixtureDesk = (data: Record<string, string>): PersonActor => ({
  kind: "person",
  tenantGroupId: data.tenantGroupId as string,
  clinicIds: [data.clinicId as string],
  userId: "00000000-0000-7000-8000-0000000000d1",
  ref: "ST-CRASH0",
  roles: [{ role: "FRONT_DESK", clinicId: null }],
});

const perDay = 14; // half hours in 09:00–12:00 and 13:00–17:00
const dayMs = 86_400_000;
/** Two to three weeks ahead, whenever the run is: day 0 of the epoch was a Thursday. */
const firstMonday = (() => {
  const today = Math.floor(Date.now() / dayMs);
  return (today + 21 - ((today + 3) % 7)) * dayMs;
})();

/** A free half hour of doctor D1 in Berlin for each run: workdays from `firstMonday` on, 14 a day, in winter or summer time. */
export function slotOf({ t1 }: ClinicFixture, run: number): Record<string, string> {
  const workday = Math.floor(run / perDay);
  const date = new Date(firstMonday + (Math.floor(workday / 5) * 7 + (workday % 5)) * dayMs).toISOString().slice(0, 10);
  const index = run % perDay;
  const minutes = index < 6 ? 9 * 60 + index * 30 : 13 * 60 + (index - 6) * 30;
  const clock = `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
  const { offset } = Temporal.PlainDateTime.from(`${date}T${clock}`).toZonedDateTime("Europe/Berlin");
  const patient = t1.patients[run % t1.patients.length];
  return {
    tenantGroupId: t1.tenantGroupId,
    clinicId: t1.ber.id,
    doctorId: t1.ber.doctors[0]?.id as string,
    otherDoctorId: t1.ber.doctors[1]?.id as string,
    treatmentId: t1.ber.treatments.VISIT30,
    patientId: patient?.id as string,
    startsAt: `${date}T${clock}:00${offset}`,
  };
}
