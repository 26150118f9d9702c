import { toRecord } from "@/server/domain/event-log/envelope";
import { partitionKey } from "@/server/domain/event-log/partition-key";
import type { NewRecord } from "@/server/domain/event-log/port";
import { newUuid } from "@/server/ids";
import type { SyntheticScope } from "./synthetic-scope";

/** The record of the `seq`-th change of a visit that nobody has booked, as the relay would publish it. */
export function syntheticEvent(
  { tenantGroupId, clinicId }: SyntheticScope,
  visitId: string,
  seq: number,
  more: { schemaVersion?: number } = {},
): NewRecord {
  return toRecord({
    eventId: newUuid(),
    type: "AppointmentStatusChanged",
    schemaVersion: more.schemaVersion ?? 1,
    tenantGroupId,
    clinicId,
    commandId: newUuid(),
    aggregateType: "appointment",
    aggregateId: visitId,
    aggregateSeq: String(seq),
    occurredAt: "2026-01-05T08:00:00Z",
    partitionKey: partitionKey(tenantGroupId, clinicId, visitId),
    payload: {
      appointmentId: visitId,
      appointmentRef: "APT-DR1112",
      version: String(seq),
      clinicId,
      change: "STATUS_CHANGED",
      fromStatus: null,
      toStatus: "CONFIRMED",
      localDate: "2026-01-05",
      fromLocalDate: null,
      startsAt: "2026-01-05T09:00:00Z",
      endsAt: "2026-01-05T09:30:00Z",
      fromStartsAt: null,
      doctorId: clinicId,
      fromDoctorId: null,
      treatmentId: clinicId,
      reasonCode: null,
    },
  });
}

export const eventIdOf = (record: NewRecord): string => record.headers.ce_id as string;
