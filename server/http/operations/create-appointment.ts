import { z } from "zod";
import { AppError } from "@/server/app-error";
import { createAppointment } from "@/server/domain/appointments/create-appointment";
import { createAppointment as createSchema, uuid } from "@/server/domain/appointments/types";
import { parseIdempotencyKey } from "@/server/domain/idempotency/key";
import { commandDeps } from "../command-deps";
import { type ApiCall, apiHandler } from "../http-handler";
import { readJson } from "../read-json";
import { traceparentOf } from "../traceparent";
import { inClinic } from "./authorize";
import { commandResponse } from "./command-response";

/** The clinic in the body, as the first address of this service has it. */
export const createInBody = createSchema.extend({ clinicId: uuid });

/** POST /api/v1/clinics/{clinicId}/appointments */
export const postAppointment = apiHandler<{ clinicId: string }>("createAppointment", (call) =>
  inClinic(call, call.params.clinicId, "appointments:create", undefined, async () =>
    create(call, call.params.clinicId, await readJson(call.request)),
  ),
);

/** POST /appointments: the same command under its short address; key and fingerprint are those of the long one. */
export const postAppointmentInBody = apiHandler("createAppointment", async (call) => {
  const body = await readJson(call.request);
  const { clinicId } = z.object({ clinicId: uuid }).parse(body);
  const { clinicId: _, ...rest } = body as Record<string, unknown>;
  return inClinic(call, clinicId, "appointments:create", undefined, () => create(call, clinicId, rest));
});

async function create(call: ApiCall<unknown>, clinicId: string, body: unknown): Promise<Response> {
  const { actor, db, env, request, requestId } = call;
  const key = parseIdempotencyKey(request.headers.get("idempotency-key"));
  if (request.headers.has("if-match")) throw new AppError("request-invalid", "A new appointment has no version: send no If-Match.");
  const input = createSchema.parse(body);
  const answer = await createAppointment(
    commandDeps(db, env),
    { actor, clinicId, key, requestId, method: "POST", body, traceparent: traceparentOf(request.headers) },
    input,
  );
  return commandResponse(answer);
}
