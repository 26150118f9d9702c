import type { Db } from "@/db/client";
import { digestRing } from "@/scripts/crash/commands";
import { createAppointment } from "@/server/domain/appointments/create-appointment";
import { addDays } from "@/server/domain/clinics/local-time";
import { PlanningWorld, planDay } from "@/server/domain/planning/testing";
import type { Stand } from "./stand";

/** Whole weeks beyond the days that the load books on, so that no patient is wanted in two places. */
const farWeeks = 44;

export const depsOf = (db: Db) => ({ db, digestKeys: digestRing, retentionHours: 24, waitMs: 2_000 });

/** A clinic that the load leaves alone, with people of its own. `weeks`: its days are those of no other scenario. */
export function farClinic({ superuser, worker, fixture }: Stand, web: Db, weeks: number): Promise<PlanningWorld> {
  const handles = { web, worker, superuser, migrator: superuser };
  return PlanningWorld.over(handles, fixture, fixture.t1.nyc, addDays(planDay(), (farWeeks + weeks) * 7));
}

/** Books as any desk does. @returns the visit's id @throws Error with the refusal */
export async function bookAt(world: PlanningWorld, web: Db, at: string, patient: number): Promise<string> {
  const booked = await createAppointment(depsOf(web), world.call(world.desk), {
    patient: { id: world.fixture.t1.patients[patient]?.id as string },
    treatmentId: world.clinic.treatments.VISIT30,
    doctorId: world.clinic.doctors[0]?.id as string,
    startsAt: await world.instant(at),
  });
  if (booked.status !== 201) throw new Error(`a visit could not be booked: ${booked.body}`);
  return JSON.parse(booked.body).id as string;
}
