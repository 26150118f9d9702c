import { createHash } from "node:crypto";
import { type ConsumerEvent, type LogicalConsumer, type Outcome, quarantine, retryLater } from "@/server/domain/inbox/types";

const hoursAhead = 6;

/**
 * Demo only: about one appointment in forty that was booked before this process started (the seeded ones, never what a visitor books) meets a fault,
 * so that the console shows lasting rows: retry wait (put off by hours), quarantine, and behind both the later events of the same appointment. The
 * rows are made by the real consumers; only the answer is false.
 */
export function withDemoFaults(consumer: LogicalConsumer, bookedBefore: string): LogicalConsumer {
  const faultOf = (event: ConsumerEvent): Outcome | undefined => {
    if (event.occurredAt >= bookedBefore) return undefined;
    const lot = createHash("sha256").update(`${consumer.id}/${event.aggregateId}`).digest().readUInt16BE(0) % 80;
    if (lot === 0) return quarantine("DEMO_FAULT");
    if (lot === 1) return retryLater("DEMO_FAULT", new Date(Date.now() + hoursAhead * 3_600_000).toISOString());
    return undefined;
  };
  return {
    ...consumer,
    handle: async (tx, events) => {
      const healthy = events.filter((event) => !faultOf(event));
      const outcomes = healthy.length > 0 ? await consumer.handle(tx, healthy) : [];
      return events.map((event) => faultOf(event) ?? (outcomes[healthy.indexOf(event)] as Outcome));
    },
  };
}
