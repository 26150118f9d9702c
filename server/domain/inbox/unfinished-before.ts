import type { Tx } from "@/db/client";
import { passedOver } from "./pass-over";

/** Consumers whose events wait for no earlier one; every other consumer is ordered. The worker's registry is held to this by a test. */
export const commutativeConsumers: readonly string[] = ["planning-trigger-v1"];

/** Whether the row `i` of the inbox is of an ordered consumer, for a process that runs none of them. */
export const isOrdered = (tx: Tx) => tx.sql`i.consumer <> all (${[...commutativeConsumers]}::text[])`;

/** The unfinished earlier rows of the aggregate and consumer of `i` that STAFF have not passed over. The caller picks columns and adds conditions on `earlier`. */
export const unfinishedBefore = (tx: Tx) => tx.sql`
  from inbox earlier
  where earlier.consumer = i.consumer
    and earlier.aggregate_type = i.aggregate_type
    and earlier.aggregate_id = i.aggregate_id
    and earlier.aggregate_seq < i.aggregate_seq
    and earlier.state <> 'PROCESSED'
    and not exists (${passedOver(tx)})`;

/** Id of the first of them: what `i` waits behind, or nothing. */
export const blockerOf = (tx: Tx) => tx.sql`select earlier.id ${unfinishedBefore(tx)} order by earlier.aggregate_seq limit 1`;

/** Whether the state of `i` lets a replay run it: stopped, or its next attempt is due. What it waits behind is asked apart. */
export const isStoppedOrDue = (tx: Tx) => tx.sql`
  (i.state = 'QUARANTINED' or (i.state = 'RETRYABLE' and i.blocked_by is null and i.next_attempt_at <= clock_timestamp()))`;
