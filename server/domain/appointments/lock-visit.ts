import { Temporal } from "temporal-polyfill";
import type { Tx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { toInstant, toIso } from "@/server/clock";
import type { ChangeCall } from "./command-call";
import type { Standing } from "./events";
import { type ActionRow, nextActions, type WhyNot } from "./next-actions";
import { type AppointmentAction, type AppointmentState, reasonCodes, tokenRight } from "./states";
import type { AppointmentRow } from "./view";

/** `used`: each device or room with its time as PostgreSQL text. */
export type LockedVisit = AppointmentRow & { now: string; used: { equipmentId: string; from: string; until: string }[] };

/**
 * Locks the planning scope (shared) and then the visit, in the order that every writer keeps, and reads the visit as it is now. One statement.
 * Throws AppError not-found for an id of another clinic or tenant as for one of nobody, and version-stale when it has changed since it was read.
 */
export async function lockVisit(tx: Tx, call: ChangeCall): Promise<LockedVisit> {
  const [row] = await tx.sql<LockedVisit[]>`
    with scope as materialized (
      select tenant_group_id, clinic_id
      from planning_scopes
      where tenant_group_id = ${call.actor.tenantGroupId} and clinic_id = ${call.clinicId}
      for share
    )
    select a.*, c.zone, p.ref as patient_ref, clock_timestamp() as now,
           array(select e.equipment_id from appointment_equipment e where e.appointment_id = a.id order by e.id) as equipment_ids,
           coalesce((select jsonb_agg(jsonb_build_object('equipmentId', e.equipment_id, 'from', lower(e.during), 'until', upper(e.during)) order by e.id)
                     from appointment_equipment e where e.appointment_id = a.id), '[]') as used
    from scope
    join appointments a on a.tenant_group_id = scope.tenant_group_id and a.clinic_id = scope.clinic_id
    join clinics c on c.id = a.clinic_id
    join patients p on p.tenant_group_id = a.tenant_group_id and p.id = a.patient_id
    where a.id = ${call.appointmentId}
    for no key update of a`;
  if (!row) throw new AppError("not-found");
  if (row.version !== call.expectedVersion)
    throw new AppError("version-stale", undefined, {
      expectedVersion: call.expectedVersion,
      currentVersion: row.version,
      state: row.status,
    });
  return row;
}

/**
 * The rule that also draws the buttons. Throws AppError move-not-allowed (stored), or right-missing (not stored) naming the right that somebody can be
 * given: a role of a person, a command of a token. What no token can be given is move-not-allowed with why DESK_ONLY.
 * @returns the state that the action leads to
 */
export function assertAllowed(visit: LockedVisit, action: AppointmentAction, call: ChangeCall): AppointmentState {
  const decision = nextActions(toActionRow(visit), call.actor, toInstant(visit.now))[action];
  if (decision.allowed) return decision.to;
  const right = call.actor.kind === "token" ? tokenRight[action] : "FRONT_DESK";
  if (decision.why === "RIGHT_MISSING" && right !== null) throw new AppError("right-missing", undefined, { right });
  const why = decision.why === "RIGHT_MISSING" ? "DESK_ONLY" : decision.why;
  throw new AppError("move-not-allowed", whyNot[why], { action, state: visit.status, why });
}

const whyNot: Record<Exclude<WhyNot, "RIGHT_MISSING"> | "DESK_ONLY", string> = {
  DESK_ONLY: "That is done by a person at the desk only.",
  WRONG_STATE: "Its state does not allow that.",
  NOT_ITS_DAY: "That is done on the day of the visit.",
  NOT_STARTED: "The visit has not begun yet.",
  ANOTHER_DAY: "A wrong click can be undone on the same day only.",
};

/** Throws AppError subject-invalid when the action asks for a reason and got none, or one of another action. */
export function assertReason(action: keyof typeof reasonCodes, reasonCode: string | undefined): void {
  if (reasonCode === undefined || !(reasonCodes[action] as readonly string[]).includes(reasonCode))
    throw new AppError("subject-invalid", `A reason is needed: ${reasonCodes[action].join(", ")}.`, { reasonCodes: reasonCodes[action] });
}

export const toActionRow = (row: AppointmentRow): ActionRow => ({
  clinicId: row.clinic_id,
  status: row.status,
  startsAt: toInstant(row.starts_at),
  endsAt: toInstant(row.ends_at),
  localDate: row.local_date,
  changedAt: toInstant(row.updated_at),
  zone: row.zone,
});

export const standingOf = (row: AppointmentRow): Standing => ({
  status: row.status,
  doctorId: row.doctor_id,
  startsAt: toIso(row.starts_at),
  endsAt: toIso(row.ends_at),
  localDate: row.local_date,
});

/** True when a placement that was asked for is where the visit is already. */
export const isSameInstant = (one: string, other: string): boolean => Temporal.Instant.from(one).equals(Temporal.Instant.from(other));
