import type { z } from "zod";
import { AppError } from "@/server/app-error";
import { cancelAppointment } from "@/server/domain/appointments/cancel-appointment";
import { changeStatus } from "@/server/domain/appointments/change-status";
import { type ChangeCall, parseIfMatch } from "@/server/domain/appointments/command-call";
import { rescheduleAppointment } from "@/server/domain/appointments/reschedule-appointment";
import {
  cancelAppointment as cancelSchema,
  rescheduleAppointment as rescheduleSchema,
  changeStatus as statusSchema,
} from "@/server/domain/appointments/types";
import { parseIdempotencyKey } from "@/server/domain/idempotency/key";
import type { CommandAnswer, CommandDeps } from "@/server/domain/idempotency/types";
import { mayCommand, type TokenCommand } from "@/server/domain/scope/actor";
import { commandDeps } from "../command-deps";
import { apiHandler } from "../http-handler";
import { readJson } from "../read-json";
import { traceparentOf } from "../traceparent";
import { inClinic } from "./authorize";
import { commandResponse } from "./command-response";

type VisitPath = { clinicId: string; appointmentId: string };

/** POST …/appointments/{appointmentId}/reschedule */
export const postReschedule = changeHandler(
  "rescheduleAppointment",
  rescheduleSchema,
  () => "appointments:reschedule",
  rescheduleAppointment,
);

/** POST …/appointments/{appointmentId}/cancel */
export const postCancel = changeHandler("cancelAppointment", cancelSchema, () => "appointments:cancel", cancelAppointment);

/** POST …/appointments/{appointmentId}/status. To confirm what waits for an answer is a right of its own. */
export const postStatus = changeHandler(
  "changeAppointmentStatus",
  statusSchema,
  ({ to }) => (to === "CONFIRMED" ? "appointments:confirm" : "appointments:change-status"),
  changeStatus,
);

/** One command on one visit: right, key, version and body are looked at in this order, then the command decides. */
function changeHandler<S extends z.ZodType>(
  operation: string,
  schema: S,
  rightFor: (input: z.infer<S>) => TokenCommand,
  change: (deps: CommandDeps, call: ChangeCall, input: z.infer<S>) => Promise<CommandAnswer>,
) {
  const anyRight: TokenCommand = rightFor({} as z.infer<S>);
  return apiHandler<VisitPath>(operation, (call) => {
    const { actor, db, env, params, request, requestId } = call;
    const { clinicId, appointmentId } = params;
    // a token with only the narrower right gets to its body, which says whether that one is enough
    const gate = mayCommand(actor, anyRight) || operation !== "changeAppointmentStatus" ? anyRight : "appointments:confirm";
    return inClinic(call, clinicId, mayCommand(actor, gate) ? gate : anyRight, appointmentId, async () => {
      const key = parseIdempotencyKey(request.headers.get("idempotency-key"));
      const expectedVersion = parseIfMatch(request.headers.get("if-match"));
      const body = await readJson(request);
      const input = schema.parse(body);
      const right = rightFor(input);
      if (!mayCommand(actor, right)) throw new AppError("right-missing", undefined, { right });
      const traceparent = traceparentOf(request.headers);
      const changeCall = { actor, clinicId, appointmentId, expectedVersion, key, requestId, method: "POST", body, traceparent };
      return commandResponse(await change(commandDeps(db, env), changeCall, input));
    });
  });
}
