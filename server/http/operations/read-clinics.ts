import { z } from "zod";
import { withRead } from "@/db/client";
import { AppError } from "@/server/app-error";
import { uuid } from "@/server/domain/appointments/types";
import { factDaysMax, getClinicFacts } from "@/server/domain/clinics/get-clinic-facts";
import { listClinics } from "@/server/domain/clinics/list-clinics";
import { listSlots, slotDaysMax } from "@/server/domain/clinics/list-slots";
import { mayCommand } from "@/server/domain/scope/actor";
import { apiHandler } from "../http-handler";
import { inClinic } from "./authorize";
import { queryOf } from "./query-of";

const days = z.coerce.number().int().min(1).max(slotDaysMax);
export const slotsQuery = z.strictObject({
  treatmentId: uuid,
  doctorId: uuid.optional().describe("Left out: any doctor."),
  from: z.iso.date().describe("First day, of the clinic's calendar."),
  days: days.default(1),
  ignoreAppointmentId: uuid.optional().describe("The visit that is to move: it does not block its own move."),
});
export const factsQuery = z.strictObject({
  from: z.iso
    .date()
    .optional()
    .describe("First day for closures, absences, outages and holidays; left out: today, by the clinic's calendar."),
  days: z.coerce.number().int().min(1).max(factDaysMax).default(31),
});

/** GET …/slots */
export const getSlots = apiHandler<{ clinicId: string }>("listSlots", (call) =>
  inClinic(call, call.params.clinicId, "slots:read", undefined, async () => {
    const { from, ...query } = queryOf(call.request, slotsQuery);
    const wish = { clinicId: call.params.clinicId, fromDate: from, ...query };
    return Response.json(await withRead(call.db, call.actor, (tx) => listSlots(tx, call.actor, wish)));
  }),
);

/** GET /api/v1/clinics: those of the token. */
export const getClinics = apiHandler("listClinics", async ({ actor, db }) => {
  if (!mayCommand(actor, "clinics:read")) throw new AppError("right-missing", undefined, { right: "clinics:read" });
  return Response.json({ clinics: await withRead(db, actor, (tx) => listClinics(tx, actor)) });
});

/** GET /api/v1/clinics/{clinicId}: what decides when a visit can take place. */
export const getClinic = apiHandler<{ clinicId: string }>("getClinic", (call) =>
  inClinic(call, call.params.clinicId, "clinics:read", undefined, async () => {
    const { from, days } = queryOf(call.request, factsQuery);
    const asked = { clinicId: call.params.clinicId, fromDate: from, days };
    const facts = await withRead(call.db, call.actor, (tx) => getClinicFacts(tx, call.actor, asked));
    // why somebody is absent is nobody's business outside the clinic
    return Response.json({ ...facts, absences: facts.absences.map(({ reason, ...absence }) => absence) });
  }),
);
