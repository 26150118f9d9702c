import { randomUUID } from "node:crypto";
import { closeDb, openDb, type Tx, withTx } from "@/db/client";
import { e2eWorld, lookAtRows } from "@/db/testing/e2e-world";

export type SentCommand = { key: string; commandId: string; appointmentId: string; ref: string; clinicId: string; clinicRef: string };

/** A booking that a caller of the API sent `calls` times under one key, and everything that followed from it has happened. */
export async function aCommand({ calls = 1 } = {}): Promise<SentCommand> {
  const { origin, apiToken } = e2eWorld();
  const headers = { authorization: `Bearer ${apiToken}`, "content-type": "application/json" };
  const get = async (path: string) => (await fetch(`${origin}/api/v1${path}`, { headers })).json();
  const clinic = await aClinicOfTheDemo();
  const { treatments } = await get(`/clinics/${clinic.id}`);
  const from = new Date(Date.now() + 4 * 86_400_000).toISOString().slice(0, 10);
  const { slots } = await get(`/clinics/${clinic.id}/slots?treatmentId=${treatments[0].id}&from=${from}&days=7`);
  const key = `key-${randomUUID()}`;
  const body = JSON.stringify({
    patient: { externalReference: `ext-${key}` },
    treatmentId: treatments[0].id,
    startsAt: slots[0].startsAt,
    doctorId: slots[0].doctorIds[0],
  });
  let visit: { id: string; ref: string } | undefined;
  for (let call = 0; call < calls; call++) {
    const response = await fetch(`${origin}/api/v1/clinics/${clinic.id}/appointments`, {
      method: "POST",
      headers: { ...headers, "idempotency-key": key },
      body,
    });
    if (response.status !== 201) throw new Error(`a free time was refused with ${response.status}: ${await response.text()}`);
    visit = await response.json();
  }
  if (!visit) throw new Error("a command is sent at least once");
  const commandId = await commandOf(visit.id);
  await untilSettled(commandId);
  return { key, commandId, appointmentId: visit.id, ref: visit.ref, clinicId: clinic.id, clinicRef: clinic.ref };
}

async function aClinicOfTheDemo(): Promise<{ id: string; ref: string }> {
  const [clinic] = await lookAtRows(
    ({ sql }) => sql<{ id: string; ref: string }[]>`
      select c.id, c.ref from clinics c
      join users u on u.tenant_group_id = c.tenant_group_id and u.email = 'staff@harbour.example'
      where c.zone = 'Europe/Berlin'
      order by c.created_at limit 1`,
  );
  if (!clinic) throw new Error("the demo's clinics are not there");
  return clinic;
}

async function commandOf(appointmentId: string): Promise<string> {
  const [row] = await lookAtRows(
    ({ sql }) => sql<{ command_id: string }[]>`select command_id from appointment_history where appointment_id = ${appointmentId}`,
  );
  if (!row) throw new Error("a change without history");
  return row.command_id;
}

/** Both consumers have settled the event and the message is sent. */
async function untilSettled(commandId: string): Promise<void> {
  for (let round = 0; round < 100; round++) {
    const [row] = await lookAtRows(
      ({ sql }) => sql<{ settled: boolean }[]>`
        select (select count(*) from inbox where command_id = ${commandId} and state = 'PROCESSED') = 2
          and (select count(*) from notification_intents where command_id = ${commandId} and state = 'SENT') = 1 as settled`,
    );
    if (row?.settled) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error("the workers did not settle the command");
}

/** Changes rows behind the product's back, as no product code may: only to make a state that takes hours or faults to come by itself. */
export async function writeRows<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  const db = openDb(e2eWorld().superuserUrl, { max: 1, applicationName: "e2e" });
  try {
    return await withTx(db, {}, work);
  } finally {
    await closeDb(db);
  }
}
