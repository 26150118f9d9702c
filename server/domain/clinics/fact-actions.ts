import { AppError } from "@/server/app-error";
import { type Actor, hasRole, mayCommand, type Role, type TokenCommand } from "@/server/domain/scope/actor";

/**
 * Who may write which facts. What happens during a day (an absence, a closure, an outage, a break) is the desk's; the week's shape is the clinic's
 * set-up and ADMIN's. Neither implies the other.
 */
export const factRights = {
  facts: { role: "FRONT_DESK", command: "facts:write" },
  hours: { role: "ADMIN", command: "hours:write" },
} as const satisfies Record<string, { role: Role; command: TokenCommand }>;

/** The right that an actor lacks, by name; null when it has it. No worker writes facts. */
export function missingForFacts(actor: Actor, clinicId: string, what: keyof typeof factRights): string | null {
  const { role, command } = factRights[what];
  switch (actor.kind) {
    case "person":
      return hasRole(actor, role, clinicId) ? null : role;
    case "token":
      return actor.clinicIds.includes(clinicId) && mayCommand(actor, command) ? null : command;
    case "worker":
      return role;
  }
}

/** Throws AppError right-missing: a second fence, the edge has looked before the key. */
export function assertMayWriteFacts(actor: Actor, clinicId: string, what: keyof typeof factRights): void {
  const right = missingForFacts(actor, clinicId, what);
  if (right) throw new AppError("right-missing", undefined, { right });
}

export type FactActions = Record<"change" | "end", { allowed: true } | { allowed: false; why: "FACT_OVER" }>;

/** What is over is kept as it was; a weekly break is never over. Draws the buttons and guards the commands. */
export function factActions(fact: { untilInstant: string | null }, now: number): FactActions {
  const isOver = fact.untilInstant !== null && Date.parse(fact.untilInstant) <= now;
  const decision = isOver ? ({ allowed: false, why: "FACT_OVER" } as const) : ({ allowed: true } as const);
  return { change: decision, end: decision };
}
