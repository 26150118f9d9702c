// The only registry of logical consumers. A handler lives with the tables it writes; here it gets its identity.
import type { Tx } from "@/db/client";
import { applyDailyLoad } from "@/server/domain/appointments/daily-load";
import type { EventPayload } from "@/server/domain/event-log/contracts/registry";
import type { PublishedEvent } from "@/server/domain/event-log/envelope";
import type { LogicalConsumer, Outcome } from "@/server/domain/inbox/types";
import { planReminders } from "@/server/domain/notifications/reminder-planner";
import { markProbablyStale } from "@/server/domain/planning/planning-trigger";

/**
 * An id never changes and is never used for other work: with the event id it says what was done. The handlers of visits would survive any order, since a
 * version is compared before anything is written; they are ordered all the same, so that a gap in a visit's events is seen instead of counted over.
 */
export const logicalConsumers: readonly LogicalConsumer[] = [
  { id: "daily-load-v1", topics: ["appointment.v1"], order: "ordered", handle: reading(applyDailyLoad) },
  { id: "reminder-planner-v1", topics: ["appointment.v1"], order: "ordered", handle: reading(planReminders) },
  // a signpost: any order and any gap is as good as another
  { id: "planning-trigger-v1", topics: ["clinic-fact.v1"], order: "commutative", handle: reading(markProbablyStale) },
];

/** The consumers that an event of this topic has an effect in. */
export const consumersOf = (topic: string): readonly LogicalConsumer[] => logicalConsumers.filter(({ topics }) => topics.includes(topic));

/** A handler that knows the payloads of its topics: the runtime gives it no other, since a record is read by the contract of its topic. */
function reading<P extends EventPayload>(
  handle: (tx: Tx, events: readonly PublishedEvent<P>[]) => Promise<Outcome[]>,
): LogicalConsumer["handle"] {
  return handle as unknown as LogicalConsumer["handle"];
}
