import { toRecord } from "@/server/domain/event-log/envelope";
import { partitionKey } from "@/server/domain/event-log/partition-key";
import { partitionOf } from "@/server/domain/event-log/partition-of";
import type { LogRecord } from "@/server/domain/event-log/port";
import { newRef, newUuid } from "@/server/ids";
import type { World } from "./world";

const partitions = 12;

/** Records as they lie in the log: `count` first events of as many visits of one tenant group, in the order of their offsets. */
export function makeRecords(world: World, count: number, logId: string): LogRecord[] {
  const next = Array.from({ length: partitions }, () => 0);
  return Array.from({ length: count }, (_, n) => {
    const { clinic, doctor, treatmentId, startsAt, endsAt, localDate } = world.booking(n);
    const aggregateId = newUuid();
    const key = partitionKey(world.tenantGroupId, clinic.id, aggregateId);
    const partition = partitionOf(key, partitions);
    const record = toRecord({
      eventId: newUuid(),
      type: "AppointmentCreated",
      schemaVersion: 1,
      tenantGroupId: world.tenantGroupId,
      clinicId: clinic.id,
      commandId: newUuid(),
      aggregateType: "appointment",
      aggregateId,
      aggregateSeq: "1",
      occurredAt: "2026-12-01T00:00:00.000000Z",
      partitionKey: key,
      payload: {
        appointmentId: aggregateId,
        appointmentRef: newRef("APT"),
        version: "1",
        clinicId: clinic.id,
        change: "CREATED",
        fromStatus: null,
        toStatus: "CONFIRMED",
        localDate,
        fromLocalDate: null,
        startsAt,
        endsAt,
        fromStartsAt: null,
        doctorId: doctor.id,
        fromDoctorId: null,
        treatmentId,
        reasonCode: null,
      },
    });
    const offset = String(next[partition]);
    next[partition] = (next[partition] ?? 0) + 1;
    return { ...asRead(record), position: { logId, topic: "appointment.v1", partition, offset }, appendedAt: new Date() };
  });
}

/** Texts as a driver reads them: one made of parts is put together by V8 when it is first looked at, and whoever is measured would pay for it. */
const asRead = <T>(record: T): T => JSON.parse(JSON.stringify(record)) as T;

export const inBatches = <T>(items: T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
