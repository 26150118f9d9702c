import { z } from "zod";
import { withRead } from "@/db/client";
import { listViews, newView, removeView, saveView } from "@/server/domain/deliveries/views";
import { router, staffProcedure } from "../trpc";

/** Filters of the queue under a name. Saving the same name again and removing what is gone change nothing, so these carry no key. */
export const deliveryViewsRouter = router({
  list: staffProcedure.query(({ ctx: { db, actor, scope } }) => withRead(db, actor, (tx) => listViews(tx, actor, scope.clinicIds))),

  save: staffProcedure
    .input(z.object({ view: newView }))
    .mutation(({ ctx: { db, actor, scope }, input }) =>
      saveView(db, actor, input.clinic ? (scope.clinicIds[0] ?? null) : null, input.view),
    ),

  remove: staffProcedure.input(z.object({ id: z.uuid() })).mutation(({ ctx: { db, actor }, input }) => removeView(db, actor, input.id)),
});
