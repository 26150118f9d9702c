// Every operation of the API, for the OpenAPI document; a test compares the list with the route files and the answers with the schemas.
import { z } from "zod";
import { historyEntry } from "@/server/domain/appointments/history";
import {
  appointmentAnswer,
  appointmentView,
  cancelAppointment,
  changeStatus,
  createAppointment,
  rescheduleAppointment,
  uuid,
} from "@/server/domain/appointments/types";
import { createInBody } from "../operations/create-appointment";
import { dayQuery } from "../operations/read-appointments";
import { factsQuery, slotsQuery } from "../operations/read-clinics";
import { clinicFactsView, clinicList, slotList } from "./clinic-schemas";
import { factOperations } from "./fact-operations";
import { type ApiOperation, clinic, clinicPath, ofBody, ofKey } from "./operation-parts";

const visitPath = clinicPath.extend({ appointmentId: uuid });
const visit = `${clinic}/appointments/{appointmentId}`;

const ofVersion = ["version-required", "version-stale", "move-not-allowed"] as const;
const ofPlace = ["slot-taken", "not-available", "subject-invalid", "start-ambiguous", "start-nonexistent"] as const;

const create = {
  method: "post",
  right: "appointments:create",
  answer: appointmentAnswer,
  status: 201,
  problems: ["not-found", ...ofBody, ...ofKey, ...ofPlace],
  keyed: true,
  tagged: true,
} as const;
const change = {
  method: "post",
  params: visitPath,
  answer: appointmentAnswer,
  status: 200,
  keyed: true,
  versioned: true,
  tagged: true,
} as const;
const read = { method: "get", status: 200 } as const;

export const apiOperations: readonly ApiOperation[] = [
  {
    ...create,
    operationId: "createAppointment",
    path: `${clinic}/appointments`,
    summary: "Book. CONFIRMED for a token that may confirm, else REQUESTED.",
    params: clinicPath,
    body: createAppointment,
  },
  {
    ...create,
    operationId: "createAppointmentInBody",
    path: "/appointments",
    summary: "Book, with the clinic in the body: the same command, key and fingerprint as the long address.",
    body: createInBody,
  },
  {
    ...change,
    operationId: "rescheduleAppointment",
    path: `${visit}/reschedule`,
    summary: "Move to another time or doctor; the identity stays.",
    right: "appointments:reschedule",
    body: rescheduleAppointment,
    problems: ["not-found", ...ofBody, ...ofKey, ...ofVersion, ...ofPlace],
  },
  {
    ...change,
    operationId: "cancelAppointment",
    path: `${visit}/cancel`,
    summary: "Cancel, with a reason.",
    right: "appointments:cancel",
    body: cancelAppointment,
    problems: ["not-found", ...ofBody, ...ofKey, ...ofVersion, "subject-invalid"],
  },
  {
    ...change,
    operationId: "changeAppointmentStatus",
    path: `${visit}/status`,
    summary: "Confirm (right appointments:confirm), check in, start, complete, mark as not come, or give the time back.",
    right: "appointments:change-status",
    body: changeStatus,
    problems: ["not-found", ...ofBody, ...ofKey, ...ofVersion, "slot-taken", "subject-invalid"],
  },
  {
    ...read,
    operationId: "getAppointment",
    path: visit,
    summary: "One appointment; its ETag is what a change sends as If-Match.",
    right: "appointments:read",
    params: visitPath,
    answer: appointmentView,
    problems: ["not-found"],
    tagged: true,
  },
  {
    ...read,
    operationId: "getAppointmentHistory",
    path: `${visit}/history`,
    summary: "Every change of an appointment, oldest first.",
    right: "appointments:read",
    params: visitPath,
    answer: z.object({ history: z.array(historyEntry) }),
    problems: ["not-found"],
  },
  {
    ...read,
    operationId: "listAppointments",
    path: `${clinic}/appointments`,
    summary: "The appointments of a clinic's day by start, in pages.",
    right: "appointments:read",
    params: clinicPath,
    query: dayQuery,
    answer: z.object({ appointments: z.array(appointmentView), nextCursor: z.string().nullable() }),
    problems: ["not-found", "request-invalid"],
  },
  {
    ...read,
    operationId: "getCommand",
    path: `${clinic}/commands/{key}`,
    summary: "What became of the command that you sent under this key. 404: no answer is stored, and sending it again is safe.",
    right: "appointments:read",
    params: clinicPath.extend({ key: z.string() }),
    answer: z.object({
      commandId: z.uuid(),
      operation: z.string(),
      takenAt: z.string(),
      expiresAt: z.string(),
      calls: z.int().describe("How often the command was sent so far."),
      answer: z.object({ status: z.int(), body: z.unknown(), location: z.string().nullable(), etag: z.string().nullable() }),
    }),
    problems: ["not-found", "idempotency-key-invalid"],
  },
  {
    ...read,
    operationId: "listSlots",
    path: `${clinic}/slots`,
    summary: "The times at which a treatment can be booked. What is listed can be booked, what is not is refused.",
    right: "slots:read",
    params: clinicPath,
    query: slotsQuery,
    answer: slotList,
    problems: ["not-found", "request-invalid"],
  },
  {
    ...read,
    operationId: "listClinics",
    path: "/api/v1/clinics",
    summary: "The clinics of the token.",
    right: "clinics:read",
    answer: clinicList,
    problems: [],
  },
  {
    ...read,
    operationId: "getClinic",
    path: clinic,
    summary: "What decides when a visit can take place: hours, doctors, treatments, equipment, closures and the rest.",
    right: "clinics:read",
    params: clinicPath,
    query: factsQuery,
    answer: clinicFactsView,
    problems: ["not-found", "request-invalid"],
  },
  ...factOperations,
];
