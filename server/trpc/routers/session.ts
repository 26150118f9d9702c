import { z } from "zod";
import { loadProfile } from "@/server/domain/scope/load-profile";
import { setPreferences } from "@/server/domain/scope/set-preferences";
import { router, signedInProcedure } from "../trpc";

export const sessionRouter = router({
  /** Who is signed in, where they may act, and how they like their screens. */
  me: signedInProcedure.query(async ({ ctx: { db, actor } }) => {
    const { tenantGroup, clinics, locale, theme } = await loadProfile(db, actor);
    const roles = [...new Set(actor.roles.map((held) => held.role))];
    return { user: { id: actor.userId, ref: actor.ref, roles }, tenantGroup, clinics, preferences: { locale, theme } };
  }),

  setPreferences: signedInProcedure
    .input(z.object({ locale: z.enum(["en", "ko"]).optional(), theme: z.enum(["system", "light", "dark"]).optional() }))
    .mutation(({ ctx: { db, actor }, input }) => setPreferences(db, actor, input)),
});
