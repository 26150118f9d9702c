// The four commands, as the sweep cuts them: after each cut a command is there whole or not at all, and its retry ends with one change and one answer.
import { type Db, withRead } from "@/db/client";
import { parseDigestKeys } from "@/server/canonical-hash";
import { cancelAppointment } from "@/server/domain/appointments/cancel-appointment";
import { changeStatus } from "@/server/domain/appointments/change-status";
import { createAppointment } from "@/server/domain/appointments/create-appointment";
import { rescheduleAppointment } from "@/server/domain/appointments/reschedule-appointment";
import { fixtureDesk, slotOf } from "./desk";
import type { Operation, Report, World } from "./operation";

type CommandName = "create" | "reschedule" | "cancel" | "change status";
export const digestRing = parseDigestKeys(`k1:${Buffer.from("0123456789abcdefghijklmnopqrstuv").toString("base64")}`);
const depsOf = (db: Db) => ({ db, digestKeys: digestRing, retentionHours: 24, waitMs: 2_000 });

/** Runs one of the commands as the desk of the fixture's Berlin clinic; the same data is the same command. */
function command(db: Db, name: CommandName, data: Record<string, string>) {
  const call = {
    actor: fixtureDesk(data),
    clinicId: data.clinicId as string,
    key: data.key as string,
    requestId: `crash-${data.key}`,
    method: "POST",
    body: { name, startsAt: data.startsAt ?? null },
  };
  const change = { ...call, appointmentId: data.appointmentId as string, expectedVersion: "1" };
  switch (name) {
    case "create":
      return createAppointment(depsOf(db), call, {
        patient: { id: data.patientId as string },
        treatmentId: data.treatmentId as string,
        doctorId: data.doctorId as string,
        startsAt: data.startsAt as string,
      });
    case "reschedule":
      return rescheduleAppointment(depsOf(db), change, { startsAt: data.startsAt as string, doctorId: data.otherDoctorId as string });
    case "cancel":
      return cancelAppointment(depsOf(db), change, { reasonCode: "PATIENT_REQUEST" });
    case "change status":
      return changeStatus(depsOf(db), change, { to: "PENDING_RESCHEDULE", reasonCode: "CLINIC_REQUEST" });
  }
}

export const commandOperations: Operation[] = (["create", "reschedule", "cancel", "change status"] as const).map((name) => ({
  name,
  async prepare(world, run) {
    return name === "create" ? { ...slotOf(world.fixture, run), key: `crash-key-${run}-create` } : bookVisit(world, run);
  },
  async act({ web }, data) {
    const { status, body, replayed } = await command(web, name, data);
    return { status, body, replayed };
  },
  async inspect(world, data, report) {
    const parts = await partsOf(world, data);
    const found: string[] = [];
    if (!["none", "all"].includes(parts.shape)) found.push(`half command: ${parts.counts}`);
    if (report.answer && parts.shape !== "all") found.push("answered, and not everything is there");
    if (report.answer && report.answer.body !== parts.body) found.push("another answer is stored than was given");
    if (!report.answer && !mayStand(report) && parts.shape !== "none") found.push(`told ${report.outcome}, and the command is there`);
    return found;
  },
  async retry(world, data) {
    const found: string[] = [];
    const before = await partsOf(world, data);
    for (const round of [1, 2]) {
      const again = await command(world.web, name, data);
      const after = await partsOf(world, data);
      const isExpected =
        again.status < 300 &&
        after.shape === "all" &&
        again.body === after.body &&
        again.replayed === (before.shape === "all" || round === 2);
      if (!isExpected) found.push(`retry ${round}: ${again.status} replayed ${again.replayed}, ${after.counts}`);
    }
    return found;
  },
}));

/** A booked visit of this run's own, for an operation that starts from one. */
export async function bookVisit(world: World, run: number): Promise<Record<string, string>> {
  const slot = slotOf(world.fixture, run);
  const booked = await command(world.web, "create", { ...slot, key: `crash-key-${run}-before` });
  if (booked.status !== 201) throw new Error(`could not book for run ${run}: ${booked.body}`);
  return { ...slot, key: `crash-key-${run}-change`, appointmentId: (JSON.parse(booked.body) as { id: string }).id };
}

/** Ends after which the command may be there or not: the answer was lost, or nobody was left to hear it. */
const mayStand = (report: Report) => ["outcome-unknown", "DIED", "HUNG"].includes(report.outcome);

/** Every row that a command leaves, counted by its key. `all`: one of each. */
async function partsOf(world: World, data: Record<string, string>) {
  const actor = fixtureDesk(data);
  const [row] = await withRead(
    world.web,
    actor,
    (tx) => tx.sql`
      with command as (select command_id, appointment_id, body, status from idempotency_keys where key = ${data.key as string})
      select (select body from command) as body,
             concat_ws(',',
               (select count(*) from command where status < 300),
               (select count(*) from appointments a join command c on c.command_id = a.command_id),
               (select count(*) from appointment_history h join command c on c.command_id = h.command_id),
               (select count(*) from outbox o join command c on c.command_id = o.command_id),
               (select count(*) from audit_entries e join command c on c.command_id = e.command_id),
               (select count(*) from command_calls l join command c on c.command_id = l.command_id where l.outcome = 'FIRST')) as counts`,
  );
  const counts = row?.counts as string;
  return { counts, body: row?.body as string, shape: counts === "1,1,1,1,1,1" ? "all" : counts === "0,0,0,0,0,0" ? "none" : "half" };
}
