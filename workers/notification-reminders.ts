import { remindOnce } from "@/server/domain/notifications/remind-once";
import { runLoop } from "./run-loop";
import type { Worker } from "./worker-context";

/** Turns due reminders into messages of the dispatcher. */
export const notificationReminders: Worker = (context) =>
  runLoop(
    {
      status: context.status,
      pollMs: 10_000,
      tick: async () => {
        const counts = await remindOnce(context.db, context.status.workerId);
        return { isBusy: counts.sent + counts.moved + counts.cancelled > 0, counts };
      },
    },
    context,
  );
