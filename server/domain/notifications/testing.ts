// Visits and messages for the tests of this folder, as rows: the commands that make them have tests of their own. All people are synthetic.
import { randomUUID } from "node:crypto";
import { Temporal } from "temporal-polyfill";
import { type Db, withTx } from "@/db/client";
import type { FixtureClinic, FixturePatient } from "@/server/domain/clinics/testing";
import { newRef } from "@/server/ids";
import type { IntentKind } from "./intent-kind";
import type { Message, NotificationProvider, SendResult } from "./provider";
import { sent } from "./provider";
import { recordIntent } from "./record-intent";

export type TestVisit = { id: string; ref: string; tenantGroupId: string; clinicId: string; patientId: string; commandId: string };
type VisitOptions = { status?: string; startsAt?: string; version?: number; zone?: string };

const tomorrow = () => Temporal.Now.instant().add({ hours: 30 }).round("minute").toString();

/** A visit of 30 minutes, CONFIRMED and 30 hours ahead unless told otherwise. `db`: the migrator's handle. */
export async function insertVisit(db: Db, clinic: FixtureClinic, patient: FixturePatient, options: VisitOptions = {}): Promise<TestVisit> {
  const starts = Temporal.Instant.from(options.startsAt ?? tomorrow());
  const local = starts.toZonedDateTimeISO(options.zone ?? "Europe/Berlin");
  const visit = { id: randomUUID(), ref: newRef("APT"), tenantGroupId: clinic.tenantGroupId, clinicId: clinic.id, patientId: patient.id };
  const commandId = randomUUID();
  const version = options.version ?? 1;
  await withTx(
    db,
    {},
    (tx) => tx.sql`
      insert into appointments (id, tenant_group_id, clinic_id, ref, version, placement_version, status, patient_id, doctor_id, treatment_id,
                                starts_at, ends_at, local_date, local_start, utc_offset_seconds, source, command_id)
      values (${visit.id}, ${visit.tenantGroupId}, ${visit.clinicId}, ${visit.ref}, ${version}, ${version}, ${options.status ?? "CONFIRMED"},
              ${visit.patientId}, ${clinic.doctors[0]?.id ?? null}, ${clinic.treatments.VISIT30}, ${starts.toString()},
              ${starts.add({ minutes: 30 }).toString()}, ${local.toPlainDate().toString()}, ${local.toPlainDateTime().toString()},
              ${local.offsetNanoseconds / 1e9}, 'DESK', ${commandId})`,
  );
  return { ...visit, commandId };
}

/** The next version of a visit, as its command would leave the row. */
export async function changeVisit(db: Db, visit: TestVisit, change: { status?: string; startsAt?: string; toldPlacement?: boolean }) {
  await withTx(
    db,
    {},
    (tx) => tx.sql`
      update appointments
      set version = version + 1, placement_version = version + 1, status = coalesce(${change.status ?? null}::text, status),
          starts_at = coalesce(${change.startsAt ?? null}::timestamptz, starts_at),
          ends_at = coalesce(${change.startsAt ?? null}::timestamptz, starts_at) + interval '30 minutes'
      where id = ${visit.id}`,
  );
}

/** The message of a change, written as a command writes it. `db`: the web's handle. */
export async function insertIntent(db: Db, visit: TestVisit, kind: IntentKind, version = 1): Promise<string> {
  const id = randomUUID();
  const actor = { tenantGroupId: visit.tenantGroupId, clinicIds: [visit.clinicId] };
  const { tenantGroupId, clinicId, commandId, patientId } = visit;
  await withTx(db, actor, (tx) =>
    recordIntent(tx, { id, tenantGroupId, clinicId, commandId, appointmentId: visit.id, appointmentVersion: version, patientId, kind }),
  );
  return id;
}

/** Counts what it is given and answers as told; `idempotentByKey` like the mailbox. */
export function stubProvider(answer: (message: Message, call: number) => SendResult | Promise<SendResult> = (m) => sent(m.intentId)) {
  const calls: Message[] = [];
  return {
    calls,
    name: "stub",
    idempotentByKey: true,
    addressOf: ({ ref }) => ref,
    send: async (message) => {
      calls.push(message);
      return answer(message, calls.length);
    },
  } satisfies NotificationProvider & { calls: Message[] } as NotificationProvider & { calls: Message[] };
}
