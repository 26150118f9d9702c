import { type Actor, hasRole } from "@/server/domain/scope/actor";
import { type DrillName, drillEntry } from "./catalog";
import type { DrillState } from "./types";

/** Why a drill cannot be started or stopped by this person now. */
export type WhyNoDrill = "RIGHT_MISSING" | "COMMAND_LINE_ONLY" | "ANOTHER_RUNS" | "NOT_RUNNING" | "STOP_WISHED";
export type DrillAction = { allowed: true } | { allowed: false; why: WhyNoDrill };

/** The open run of the tenant group, whichever drill it is of. */
export type OpenRun = { drill: DrillName; state: DrillState; wanted: "RUN" | "CANCEL" } | null;

/** Draws the button and guards the command: STAFF of the clinic they act from, one drill at a time in a tenant group. */
export function mayStart(actor: Actor, clinicId: string, drill: DrillName, open: OpenRun): DrillAction {
  if (drillEntry(drill).startedFrom !== "page") return { allowed: false, why: "COMMAND_LINE_ONLY" };
  if (!hasRole(actor, "STAFF", clinicId)) return { allowed: false, why: "RIGHT_MISSING" };
  return open ? { allowed: false, why: "ANOTHER_RUNS" } : { allowed: true };
}

/** A run that is under way is ended by any of STAFF; what was done so far stays with it. */
export function mayStop(actor: Actor, clinicId: string, run: Pick<NonNullable<OpenRun>, "state" | "wanted">): DrillAction {
  if (!hasRole(actor, "STAFF", clinicId)) return { allowed: false, why: "RIGHT_MISSING" };
  if (run.state !== "REQUESTED" && run.state !== "RUNNING") return { allowed: false, why: "NOT_RUNNING" };
  return run.wanted === "CANCEL" ? { allowed: false, why: "STOP_WISHED" } : { allowed: true };
}
