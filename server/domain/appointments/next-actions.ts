import { Temporal } from "temporal-polyfill";
import { type Actor, hasRole, mayCommand } from "@/server/domain/scope/actor";
import {
  type AppointmentAction,
  type AppointmentState,
  appointmentActions,
  moves,
  reasonNeeded,
  reschedulable,
  tokenRight,
} from "./states";

/** What the decision needs of a visit. */
export type ActionRow = {
  clinicId: string;
  status: AppointmentState;
  startsAt: Temporal.Instant;
  endsAt: Temporal.Instant;
  /** The clinic's calendar day of the visit. */
  localDate: string;
  /** When it last changed. */
  changedAt: Temporal.Instant;
  zone: string;
};

export type WhyNot = "WRONG_STATE" | "RIGHT_MISSING" | "NOT_ITS_DAY" | "NOT_STARTED" | "ANOTHER_DAY";
export type NextAction = { allowed: true; to: AppointmentState; needsReason: boolean } | { allowed: false; why: WhyNot };

/** For every action whether it may be done now, and why not. Draws the buttons and guards the commands: what is offered is what is accepted. */
export function nextActions(row: ActionRow, actor: Actor, now: Temporal.Instant): Record<AppointmentAction, NextAction> {
  const entries = appointmentActions.map((action) => [action, decide(action, row, actor, now)]);
  return Object.fromEntries(entries) as Record<AppointmentAction, NextAction>;
}

function decide(action: AppointmentAction, row: ActionRow, actor: Actor, now: Temporal.Instant): NextAction {
  const to = targetOf(action, row.status);
  if (!to) return { allowed: false, why: "WRONG_STATE" };
  if (!mayDo(action, actor, row.clinicId)) return { allowed: false, why: "RIGHT_MISSING" };
  const why = wrongTime(action, row, now);
  return why ? { allowed: false, why } : { allowed: true, to, needsReason: reasonNeeded[action] };
}

function targetOf(action: AppointmentAction, status: AppointmentState): AppointmentState | null {
  if (action === "reschedule") return reschedulable[status];
  const move = Object.entries(moves[status]).find(([, via]) => via === action);
  return move ? (move[0] as AppointmentState) : null;
}

/** The right to book that an actor lacks, by name; null when it has it. */
export function missingToBook(actor: Actor, clinicId: string): string | null {
  switch (actor.kind) {
    case "person":
      return hasRole(actor, "FRONT_DESK", clinicId) ? null : "FRONT_DESK";
    case "token":
      return actor.clinicIds.includes(clinicId) && mayCommand(actor, "appointments:create") ? null : "appointments:create";
    case "worker":
      return null;
  }
}

/** A person needs FRONT_DESK in the clinic, a token the command by name; a worker acts for a rule that was decided elsewhere. */
export function mayDo(action: AppointmentAction, actor: Actor, clinicId: string): boolean {
  switch (actor.kind) {
    case "person":
      return hasRole(actor, "FRONT_DESK", clinicId);
    case "token": {
      const right = tokenRight[action];
      return right !== null && actor.clinicIds.includes(clinicId) && mayCommand(actor, right);
    }
    case "worker":
      return true;
  }
}

/** Nobody arrives on another day or fails to come before the time; a wrong click is undone on the day it was made. All by the clinic's calendar. */
function wrongTime(action: AppointmentAction, row: ActionRow, now: Temporal.Instant): WhyNot | undefined {
  const today = dayOf(now, row.zone);
  switch (action) {
    case "check-in":
    case "start":
      return row.localDate === today || isRunning(row, now) ? undefined : "NOT_ITS_DAY";
    case "no-show":
      return Temporal.Instant.compare(now, row.startsAt) >= 0 ? undefined : "NOT_STARTED";
    case "undo":
      return dayOf(row.changedAt, row.zone) === today ? undefined : "ANOTHER_DAY";
    default:
      return undefined;
  }
}

/** A night visit may be started after midnight. */
const isRunning = ({ startsAt, endsAt }: ActionRow, now: Temporal.Instant): boolean =>
  Temporal.Instant.compare(startsAt, now) <= 0 && Temporal.Instant.compare(now, endsAt) < 0;

const dayOf = (instant: Temporal.Instant, zone: string): string => instant.toZonedDateTimeISO(zone).toPlainDate().toString();
