import { z } from "zod";
import { withRead } from "@/db/client";
import { listViews, newView, removeView, saveView, viewScreens } from "@/server/domain/deliveries/views";
import { router, staffProcedure } from "../trpc";

/** Filters of a queue under a name. Saving the same name again and removing what is gone change nothing, so these carry no key. */
export const savedViewsRouter = router({
  list: staffProcedure
    .input(z.object({ screen: z.enum(viewScreens) }))
    .query(({ ctx: { db, actor, scope }, input }) => withRead(db, actor, (tx) => listViews(tx, actor, input.screen, scope.clinicIds))),

  save: staffProcedure
    .input(z.object({ view: newView }))
    .mutation(({ ctx: { db, actor, scope }, input }) =>
      saveView(db, actor, input.clinic ? (scope.clinicIds[0] ?? null) : null, input.view),
    ),

  remove: staffProcedure.input(z.object({ id: z.uuid() })).mutation(({ ctx: { db, actor }, input }) => removeView(db, actor, input.id)),
});
