import { z } from "zod";
import { withRead } from "@/db/client";
import { recordView } from "@/server/domain/audit/record-view";
import { storyView } from "@/server/domain/operations/audit-views";
import { commandStory, storyRecords } from "@/server/domain/operations/command-story";
import { deliveryQueue } from "@/server/domain/operations/delivery-queue";
import { listStories, storyListCursor } from "@/server/domain/operations/list-stories";
import { exportStory } from "@/server/domain/operations/story-export";
import { storyCursor } from "@/server/domain/operations/story-types";
import { queueFilter } from "@/server/domain/operations/types";
import { router, staffProcedure } from "../trpc";

const pageSize = 50;
const partSize = 60;
const foundMax = 5;
const search = z.string().trim().max(200);
const one = staffProcedure.input(z.object({ commandId: z.uuid() }));

/** What became of a command, by its stored records. Reading only; whoever looks at a story or takes it away is in the audit. */
export const storiesRouter = router({
  list: staffProcedure
    .input(z.object({ search: search.optional(), cursor: storyListCursor.nullish() }))
    .query(({ ctx: { db, actor, scope }, input }) =>
      withRead(db, actor, (tx) => listStories(tx, scope, input.search || undefined, input.cursor ?? null, pageSize)),
    ),

  /** null: no record of it in the reader's clinics. */
  head: one.query(async ({ ctx: { db, actor, scope }, input }) => {
    const head = await withRead(db, actor, (tx) => commandStory(tx, scope, input.commandId));
    if (head) await recordView(db, actor, storyView(actor, head));
    return head;
  }),

  records: one
    .input(z.object({ cursor: storyCursor.nullish() }))
    .query(({ ctx: { db, actor, scope }, input }) =>
      withRead(db, actor, (tx) => storyRecords(tx, scope, input.commandId, input.cursor ?? null, partSize)),
    ),

  /** The evidence as a file; null: no record of it in the reader's clinics. */
  export: one.mutation(({ ctx: { db, actor, scope }, input }) => exportStory(db, actor, scope, input.commandId)),

  /** For the command menu: the stories and the queue rows that an identity leads to, a few of each. */
  find: staffProcedure.input(z.object({ text: search.min(1) })).query(({ ctx: { db, actor, scope }, input }) =>
    withRead(db, actor, async (tx) => {
      const { lines } = await listStories(tx, scope, input.text, null, foundMax);
      const { rows } = await deliveryQueue(
        tx,
        { ...scope, userId: actor.userId },
        queueFilter.parse({ search: input.text }),
        null,
        foundMax,
      );
      return { stories: lines, rows };
    }),
  ),
});
