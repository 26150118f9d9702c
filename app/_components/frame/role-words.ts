import type { MessageKey } from "@/app/_i18n/messages";
import type { Role } from "@/server/domain/scope/actor";

export type RoleName = Role;

/** Name of each role; a new role does not compile until it has one. */
export const roleWords: Record<Role, MessageKey> = {
  FRONT_DESK: "role.FRONT_DESK",
  STAFF: "role.STAFF",
  APPOINTMENT_REPLAY_OPERATOR: "role.APPOINTMENT_REPLAY_OPERATOR",
  POLICY_AUTHOR: "role.POLICY_AUTHOR",
  POLICY_APPROVER: "role.POLICY_APPROVER",
  ADMIN: "role.ADMIN",
};
