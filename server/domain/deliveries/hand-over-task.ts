import type { Tx } from "@/db/client";
import { AppError } from "@/server/app-error";
import type { CommandAnswer, CommandDeps } from "@/server/domain/idempotency/types";
import { setAssignee } from "./assign-task";
import { runAct } from "./run-act";
import type { ActCall, HandOver } from "./types";

/** Gives the person's task to another STAFF of the clinic, with a note. Throws (stored) subject-invalid when there is no such colleague. */
export function handOverTask(deps: CommandDeps, call: ActCall, { to, note }: HandOver): Promise<CommandAnswer> {
  return runAct(deps, call, "handOver", async (tx, row) => {
    const colleague = (await staffOf(tx, call.actor.tenantGroupId, call.clinicId)).find(({ ref }) => ref === to);
    if (!colleague || colleague.id === call.actor.userId)
      throw new AppError("subject-invalid", `${to} is not another STAFF of this clinic.`);
    await setAssignee(tx, row, colleague);
    return { act: "HANDED_OVER", text: note, toRef: colleague.ref };
  });
}

/** Who may take a task of this clinic, by reference. */
export function staffOf(tx: Tx, tenantGroupId: string, clinicId: string): Promise<{ id: string; ref: string }[]> {
  return tx.sql<{ id: string; ref: string }[]>`
    select u.id, u.ref
    from users u
    where u.tenant_group_id = ${tenantGroupId} and u.disabled_at is null
      and exists (select from user_roles r
        where r.tenant_group_id = u.tenant_group_id and r.user_id = u.id and r.role = 'STAFF' and (r.clinic_id is null or r.clinic_id = ${clinicId}))
    order by u.ref
    limit 200`;
}
