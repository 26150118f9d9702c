import type { PendingQuery, Row } from "postgres";
import type { Tx } from "@/db/client";
import type { Placement } from "@/server/domain/clinics/types";
import { type Actor, actorIdentity } from "@/server/domain/scope/actor";
import type { Change, Standing } from "./events";

/** Parts of a command's one statement; each is a data-modifying CTE. */
type Part = PendingQuery<Row[]>;
type Owner = { tenantGroupId: string; clinicId: string; appointmentId: string };

/** In the order of the resource ids: the trigger locks each resource as its claim is written, and every writer goes in that order. */
export function insertClaimsSql(tx: Tx, owner: Owner, claims: Placement["claims"]): Part {
  return tx.sql`
    insert into resource_claims (tenant_group_id, clinic_id, appointment_id, resource_id, during, seats)
    select ${owner.tenantGroupId}::uuid, ${owner.clinicId}::uuid, ${owner.appointmentId}::uuid, wanted.resource_id,
           tstzrange(wanted.starts, wanted.ends), wanted.seats
    from unnest(${claims.map((claim) => claim.resourceId)}::uuid[], ${claims.map((claim) => claim.fromIso)}::timestamptz[],
                ${claims.map((claim) => claim.untilIso)}::timestamptz[], ${claims.map((claim) => claim.seats)}::int[])
      as wanted (resource_id, starts, ends, seats)
    order by wanted.resource_id`;
}

export function insertEquipmentSql(tx: Tx, owner: Owner, equipment: Placement["equipment"]): Part {
  return tx.sql`
    insert into appointment_equipment (tenant_group_id, clinic_id, appointment_id, equipment_id, during)
    select ${owner.tenantGroupId}::uuid, ${owner.clinicId}::uuid, ${owner.appointmentId}::uuid, used.equipment_id, used.during::tstzrange
    from unnest(${equipment.map((use) => use.equipmentId)}::uuid[], ${equipment.map((use) => use.during)}::text[]) as used (equipment_id, during)`;
}

export type HistoryEntry = {
  version: string;
  commandId: string;
  change: Change;
  from: Standing | null;
  to: Standing;
  actor: Actor;
  reasonCode: string | null;
  note: string | null;
};

export function insertHistorySql(tx: Tx, owner: Owner, entry: HistoryEntry): Part {
  const { kind, id, ref } = actorIdentity(entry.actor);
  const role = kind === "person" ? "FRONT_DESK" : null;
  return tx.sql`
    insert into appointment_history (tenant_group_id, clinic_id, appointment_id, version, command_id, change, from_status, to_status,
      from_starts_at, to_starts_at, from_doctor_id, to_doctor_id, actor_kind, actor_id, actor_ref, actor_role, source, reason_code, note)
    values (${owner.tenantGroupId}::uuid, ${owner.clinicId}::uuid, ${owner.appointmentId}::uuid, ${entry.version}::bigint,
      ${entry.commandId}::uuid, ${entry.change}, ${entry.from?.status ?? null}, ${entry.to.status},
      ${entry.from?.startsAt ?? null}::timestamptz, ${entry.to.startsAt}::timestamptz, ${entry.from?.doctorId ?? null}::uuid,
      ${entry.to.doctorId}::uuid, ${kind}, ${id}, ${ref}, ${role}, ${sourceOf(entry.actor)}, ${entry.reasonCode}, ${entry.note})`;
}

/** From which side a change came: the desk, the API or a worker. */
export function sourceOf(actor: Actor): "DESK" | "API" | "WORKER" {
  switch (actor.kind) {
    case "person":
      return "DESK";
    case "token":
      return "API";
    case "worker":
      return "WORKER";
  }
}
