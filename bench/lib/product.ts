import type { Db } from "@/db/client";
import type { Secrets } from "@/scripts/lib/secrets";
import { parseDigestKeys } from "@/server/canonical-hash";
import { systemClock } from "@/server/clock";
import { createAppointment } from "@/server/domain/appointments/create-appointment";
import type { CommandAnswer, CommandDeps } from "@/server/domain/idempotency/types";
import type { InboxRuntime } from "@/server/domain/inbox/types";
import type { Booking, World } from "./world";

/** As the web process makes them, with the product's own defaults. */
export const commandDeps = (db: Db, secrets: Secrets): CommandDeps => ({
  db,
  digestKeys: parseDigestKeys(secrets.digestKeys),
  retentionHours: 24,
  waitMs: 2_000,
});

export const bodyOf = (booking: Booking) => ({
  patient: { id: booking.patient.id },
  treatmentId: booking.treatmentId,
  doctorId: booking.doctor.id,
  startsAt: booking.startsAt,
});

/** One create command as the HTTP edge would hand it on. Anything but 201 ends the run: it would be another thing that was measured. */
export async function book(deps: CommandDeps, world: World, booking: Booking, key: string): Promise<CommandAnswer> {
  const body = bodyOf(booking);
  const call = { actor: world.actor, clinicId: booking.clinic.id, key, requestId: key, method: "POST", body };
  const answer = await createAppointment(deps, call, body);
  if (answer.status !== 201) throw new Error(`a booking was answered ${answer.status}: ${answer.body}`);
  return answer;
}

/** As a worker process makes it. */
export const inboxRuntime = (db: Db, secrets: Secrets, logId: string): InboxRuntime => ({
  db,
  worker: "bench",
  logId,
  ring: parseDigestKeys(secrets.digestKeys),
  clock: systemClock,
  random: Math.random,
});
