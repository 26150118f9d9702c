import { randomUUID } from "node:crypto";
import { e2eWorld } from "@/db/testing/e2e-world";
import type { OwnClinic } from "./a-clinic";

export type BookedVisit = { id: string; ref: string; version: string; startsAt: string };
type Wish = { doctor?: string; treatment?: string; patient: string; at: string; date?: string };

/** Somebody has a visit in a test's own clinic, booked over the API: `at` is the clinic's clock ("10:00"), on its Tuesday unless said. */
export async function aVisit(clinic: OwnClinic, wish: Wish): Promise<BookedVisit> {
  const [doctorName, treatmentName] = [wish.doctor ?? Object.keys(clinic.doctors)[0], wish.treatment ?? Object.keys(clinic.treatments)[0]];
  const response = await fetch(`${e2eWorld().origin}/api/v1/clinics/${clinic.id}/appointments`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${e2eWorld().apiToken}`,
      "content-type": "application/json",
      "idempotency-key": randomUUID(),
    },
    body: JSON.stringify({
      patient: { id: clinic.patients[wish.patient] },
      treatmentId: clinic.treatments[treatmentName ?? ""],
      doctorId: clinic.doctors[doctorName ?? ""],
      startsAt: `${wish.date ?? clinic.tuesday}T${wish.at}`,
    }),
  });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`no visit: ${response.status} ${text}`);
  return JSON.parse(text) as BookedVisit;
}
