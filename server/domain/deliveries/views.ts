import { z } from "zod";
import { type Db, type Tx, withTx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { appendAuditEntry } from "@/server/domain/audit/append-audit-entry";
import type { PersonActor } from "@/server/domain/scope/actor";

/** The screens whose filters can be kept under a name. */
export const viewScreens = ["DELIVERY", "PLANNING"] as const;
export type ViewScreen = (typeof viewScreens)[number];

export type SavedView = {
  id: string;
  name: string;
  filter: Record<string, unknown>;
  clinicRef: string | null;
  ownerRef: string;
  shared: boolean;
  isMine: boolean;
};

export const newView = z
  .object({
    screen: z.enum(viewScreens),
    name: z.string().trim().min(1).max(40),
    /** What the address of the screen says, so a view opens as a link does. */
    filter: z.record(z.string().max(40), z.union([z.string().max(200), z.array(z.string().max(40)).max(10)])),
    shared: z.boolean(),
  })
  .refine(({ filter }) => JSON.stringify(filter).length <= 1_000, "too long");
export type NewView = z.infer<typeof newView>;

const viewsMax = 50;

/** Of one screen: the person's own views and those shared in the clinics that are looked at, by name. */
export async function listViews(tx: Tx, actor: PersonActor, screen: ViewScreen, clinicIds: readonly string[]): Promise<SavedView[]> {
  return tx.sql<SavedView[]>`
    select v.id, v.name, v.filter, c.ref as "clinicRef", v.owner_ref as "ownerRef", v.shared, v.owner_id = ${actor.userId} as "isMine"
    from delivery_views v
    left join clinics c on c.id = v.clinic_id
    where v.tenant_group_id = ${actor.tenantGroupId} and v.screen = ${screen}
      and (v.owner_id = ${actor.userId} and (v.clinic_id is null or v.clinic_id = any (${[...clinicIds]}::uuid[]))
           or v.shared and v.clinic_id = any (${[...clinicIds]}::uuid[]))
    order by v.name, v.id
    limit 100`;
}

/**
 * Keeps a filter under a name; the same name again replaces it, so that a repeated call changes nothing. `clinicId` null: for all clinics of the
 * person, and then for nobody else. Throws AppError subject-invalid: shared without a clinic, or too many views.
 */
export function saveView(db: Db, actor: PersonActor, clinicId: string | null, view: NewView): Promise<{ id: string }> {
  const { screen, name, filter, shared } = view;
  if (shared && !clinicId) throw new AppError("subject-invalid", "A view is shared in one clinic.");
  return withTx(db, actor, async (tx) => {
    const [row] = await tx.sql<{ id: string }[]>`
      insert into delivery_views (tenant_group_id, clinic_id, owner_id, owner_ref, screen, name, filter, shared)
      select ${actor.tenantGroupId}, ${clinicId}, ${actor.userId}, ${actor.ref}, ${screen}, ${name}, ${JSON.stringify(filter)}::jsonb, ${shared}
      where (select count(*) from delivery_views where owner_id = ${actor.userId} and screen = ${screen} and name <> ${name}) < ${viewsMax}
      on conflict on constraint delivery_views_name do update set filter = excluded.filter, shared = excluded.shared
      returning id`;
    if (!row) throw new AppError("subject-invalid", `A person keeps at most ${viewsMax} views of one screen.`);
    await appendAuditEntry(tx, actor, {
      act: "view.saved",
      role: "STAFF",
      clinicId,
      subjectType: "view",
      subjectId: row.id,
      details: { shared },
    });
    return row;
  });
}

/** Takes a view of the person away; nothing happens when it is gone already. */
export function removeView(db: Db, actor: PersonActor, id: string): Promise<{ removed: boolean }> {
  return withTx(db, actor, async (tx) => {
    const [row] = await tx.sql<{ clinic_id: string | null }[]>`
      delete from delivery_views where id = ${id} and owner_id = ${actor.userId} returning clinic_id`;
    if (row)
      await appendAuditEntry(tx, actor, {
        act: "view.removed",
        role: "STAFF",
        clinicId: row.clinic_id,
        subjectType: "view",
        subjectId: id,
      });
    return { removed: row !== undefined };
  });
}
