export const roles = ["FRONT_DESK", "STAFF", "APPOINTMENT_REPLAY_OPERATOR", "POLICY_AUTHOR", "POLICY_APPROVER", "ADMIN"] as const;
export type Role = (typeof roles)[number];

export const tokenCommands = [
  "appointments:read",
  "appointments:create",
  "appointments:confirm", // book as CONFIRMED instead of REQUESTED
  "appointments:reschedule",
  "appointments:cancel",
  "appointments:change-status",
  "slots:read",
  "clinics:read",
  "facts:write", // absences, closures, outages, breaks
  "hours:write", // weekly hours of the clinic and its doctors
] as const;
export type TokenCommand = (typeof tokenCommands)[number];

/** A role in one clinic; clinicId null: in all clinics of the tenant group. */
export type HeldRole = { role: Role; clinicId: string | null };

export type PersonActor = {
  kind: "person";
  tenantGroupId: string;
  /** The clinics in which the person holds any role. */
  clinicIds: string[];
  userId: string;
  ref: string;
  roles: HeldRole[];
};
export type TokenActor = {
  kind: "token";
  tenantGroupId: string;
  clinicIds: string[];
  clientId: string;
  tokenId: string;
  ref: string;
  commands: TokenCommand[];
};
export type WorkerActor = { kind: "worker"; worker: string; tenantGroupId?: string; clinicIds?: string[] };

/** Somebody with the migrator's password and `npm run ops`: sets up who may act, and books nothing, so it is no Actor of a command. */
export type CommandLineActor = { kind: "command-line"; tenantGroupId: string; ref: string };

/** Who acts. Handed to withTx as it is: row-level security sees its scope. */
export type Actor = PersonActor | TokenActor | WorkerActor;

/** STAFF, replay operators and administrators may look at operations; a replay right is never implied. */
export function hasRole(actor: Actor, role: Role, clinicId: string): boolean {
  return (
    actor.kind === "person" && actor.roles.some((held) => held.role === role && (held.clinicId === null || held.clinicId === clinicId))
  );
}

/** The clinics in which a person holds a role; a role for all clinics means all of `actor.clinicIds`. */
export function clinicsWithRole(actor: PersonActor, role: Role): string[] {
  return actor.clinicIds.filter((clinicId) => hasRole(actor, role, clinicId));
}

/** From the strongest right to the weakest; a replay right is none of an administrator's. */
const byStrength: Role[] = ["APPOINTMENT_REPLAY_OPERATOR", "POLICY_APPROVER", "POLICY_AUTHOR", "STAFF", "ADMIN", "FRONT_DESK"];

/** The strongest role that a person holds in a clinic (null: in any); null for everybody else. */
export function heldRole(actor: Actor | CommandLineActor, clinicId: string | null): Role | null {
  if (actor.kind !== "person") return null;
  const holds = (role: Role) => (clinicId ? hasRole(actor, role, clinicId) : actor.roles.some((held) => held.role === role));
  return byStrength.find(holds) ?? null;
}

export const mayCommand = (actor: Actor, command: TokenCommand): boolean => actor.kind === "token" && actor.commands.includes(command);

/** The same person, token or worker in every table that says who. `role` is the one that allowed the act. */
export function actorIdentity(actor: Actor | CommandLineActor): { kind: (Actor | CommandLineActor)["kind"]; id: string; ref: string } {
  switch (actor.kind) {
    case "person":
      return { kind: "person", id: actor.userId, ref: actor.ref };
    case "token":
      return { kind: "token", id: actor.tokenId, ref: actor.ref };
    case "worker":
      return { kind: "worker", id: actor.worker, ref: actor.worker };
    case "command-line":
      return { kind: "command-line", id: actor.ref, ref: actor.ref };
  }
}
