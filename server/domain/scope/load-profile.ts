import { type Db, withRead } from "@/db/client";
import type { PersonActor } from "./actor";

export type Profile = {
  tenantGroup: { ref: string; name: string };
  /** By reference; `zone` is an IANA name. */
  clinics: { id: string; ref: string; name: string; zone: string }[];
  locale: "en" | "ko";
  theme: "system" | "light" | "dark";
};

/** What the frame of every screen shows of a person's scope; no name of a person. */
export function loadProfile(db: Db, actor: PersonActor): Promise<Profile> {
  return withRead(db, actor, async (tx) => {
    const [row] = await tx.sql<Row[]>`
      select t.ref, t.name, u.locale, u.theme,
             coalesce((select jsonb_agg(jsonb_build_object('id', c.id, 'ref', c.ref, 'name', c.name, 'zone', c.zone) order by c.ref)
                       from clinics c
                       where c.tenant_group_id = t.id and c.id = any (${actor.clinicIds}::uuid[])), '[]') as clinics
      from users u
      join tenant_groups t on t.id = u.tenant_group_id
      where u.tenant_group_id = ${actor.tenantGroupId} and u.id = ${actor.userId}`;
    if (!row) throw new Error("a signed-in user has no row");
    return { tenantGroup: { ref: row.ref, name: row.name }, clinics: row.clinics, locale: row.locale, theme: row.theme };
  });
}

type Row = { ref: string; name: string } & Pick<Profile, "clinics" | "locale" | "theme">;
