import { z } from "zod";
import { getAppointment } from "@/server/domain/appointments/get-appointment";
import { appointmentHistory } from "@/server/domain/appointments/history";
import { listDay } from "@/server/domain/appointments/list-day";
import { etagOf } from "@/server/domain/appointments/view";
import { parseIdempotencyKey } from "@/server/domain/idempotency/key";
import { lookUpCommand } from "@/server/domain/idempotency/look-up-command";
import { apiHandler } from "../http-handler";
import { inClinic } from "./authorize";
import { queryOf } from "./query-of";

export const dayQuery = z.strictObject({
  date: z.iso.date().describe("A day of the clinic's calendar."),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(200).optional().describe("`nextCursor` of the page before."),
});

/** GET …/appointments?date=2027-02-09 */
export const getAppointments = apiHandler<{ clinicId: string }>("listAppointments", (call) =>
  inClinic(call, call.params.clinicId, "appointments:read", undefined, async () => {
    const query = queryOf(call.request, dayQuery);
    return Response.json(await listDay(call.db, call.actor, { clinicId: call.params.clinicId, ...query }));
  }),
);

/** GET …/appointments/{appointmentId} */
export const getOneAppointment = apiHandler<{ clinicId: string; appointmentId: string }>("getAppointment", (call) => {
  const { clinicId, appointmentId } = call.params;
  return inClinic(call, clinicId, "appointments:read", appointmentId, async () => {
    const visit = await getAppointment(call.db, call.actor, clinicId, appointmentId);
    return Response.json(visit, { headers: { etag: etagOf(visit.version) } });
  });
});

/** GET …/appointments/{appointmentId}/history */
export const getHistory = apiHandler<{ clinicId: string; appointmentId: string }>("getAppointmentHistory", (call) => {
  const { clinicId, appointmentId } = call.params;
  return inClinic(call, clinicId, "appointments:read", appointmentId, async () =>
    Response.json({ history: await appointmentHistory(call.db, call.actor, clinicId, appointmentId) }),
  );
});

/** GET …/commands/{key}: the caller's own keys, whatever the command was. */
export const getCommand = apiHandler<{ clinicId: string; key: string }>("getCommand", async (call) => {
  const { clinicId } = call.params;
  await inClinic(call, clinicId, "appointments:read", undefined, async () => {});
  const key = parseIdempotencyKey(decodeSegment(call.params.key));
  return Response.json(await lookUpCommand(call.db, call.actor, clinicId, key));
});

/** A path segment as it was before it was encoded; left as it is when it was not. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
