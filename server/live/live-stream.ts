import { AppError } from "@/server/app-error";
import { auth } from "@/server/auth/auth";
import { readActor } from "@/server/auth/read-actor";
import type { PersonActor } from "@/server/domain/scope/actor";
import { loadActor } from "@/server/domain/scope/load-actor";
import { assertOwnOrigin } from "@/server/http/assert-own-origin";
import type { HttpCall } from "@/server/http/http-handler";
import { stopSignal } from "@/server/http/shutdown";
import { webDb } from "@/server/http/web-db";
import { openStream } from "./open-stream";
import { ChangeWatch } from "./watch-changes";

const kept = globalThis as { appointmentOperationsChangeWatch?: ChangeWatch };
const streamsMax = { process: 1_000, tenantGroup: 300 };

/** GET /api/live: hints about changes in the person's clinics, as server-sent events, until they leave, lose their rights or the process stops. */
export async function liveStream({ request, env, db }: Pick<HttpCall, "request" | "env" | "db">): Promise<Response> {
  assertOwnOrigin(request, env.AUTH_URL);
  const [actor, session] = await Promise.all([readActor(), auth()]);
  if (!actor || !session) throw new AppError("signed-out");
  kept.appointmentOperationsChangeWatch ??= new ChangeWatch(webDb());
  const watch = kept.appointmentOperationsChangeWatch;
  if (watch.countOf() >= streamsMax.process || watch.countOf(actor.tenantGroupId) >= streamsMax.tenantGroup)
    throw new AppError("rate-limited", "Too many screens are open.", {}, 30);
  const mayStay = async () => sameClinics(actor, await loadActor(db, actor));
  return openStream({ watch, actor, mayStay, endsAtMs: Date.parse(session.expires), signals: [request.signal, stopSignal()] });
}

/** Another role or clinic ends the stream: the browser opens a new one, with what is true then. */
function sameClinics(before: PersonActor, now: PersonActor | undefined): boolean {
  return now !== undefined && now.clinicIds.join() === before.clinicIds.join() && now.roles.length === before.roles.length;
}
