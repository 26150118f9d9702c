import { type Db, withTx } from "@/db/client";
import type { PersonActor } from "./actor";
import type { Profile } from "./load-profile";

/** Keeps a person's own language and theme; what is not given stays. Setting the same twice changes nothing, so it needs no key. */
export async function setPreferences(db: Db, actor: PersonActor, wished: Partial<Pick<Profile, "locale" | "theme">>): Promise<void> {
  await withTx(
    db,
    actor,
    (tx) => tx.sql`
      update users
      set locale = coalesce(${wished.locale ?? null}, locale), theme = coalesce(${wished.theme ?? null}, theme)
      where tenant_group_id = ${actor.tenantGroupId} and id = ${actor.userId}`,
  );
}
