// The background pieces, as the sweep cuts them: after each cut the rows wait or are done, and the next ticks end with one record, one effect, one message.
import { systemClock } from "@/server/clock";
import { createCircuit } from "@/server/domain/notifications/circuit";
import { dispatchOnce } from "@/server/domain/notifications/dispatch-once";
import { mailboxProvider } from "@/server/domain/notifications/mailbox";
import { relayOnce } from "@/server/domain/outbox/relay-once";
import { openPostgresLog } from "@/server/event-log/postgres";
import { bookVisit } from "./commands";
import type { Handles, Operation, World } from "./operation";

export const relay = ({ worker }: Handles) =>
  relayOnce(worker, openPostgresLog(worker), { worker: "crash-relay", clock: systemClock, random: Math.random });
const dispatch = ({ worker }: Handles) =>
  dispatchOnce(worker, {
    provider: mailboxProvider(worker, "crash-dispatch"),
    circuit: createCircuit(systemClock),
    clock: systemClock,
    worker: "crash-dispatch",
  });

/** Ends every lease that a cut process still holds, as waiting would. */
export const expireLeases = ({ superuser }: World) =>
  superuser.$client.unsafe(`
    update outbox set lease_until = clock_timestamp() - interval '1 s' where state = 'CLAIMED';
    update inbox set lease_until = clock_timestamp() - interval '1 s' where state = 'PROCESSING';
    update replay_requests set lease_until = clock_timestamp() - interval '1 s' where state = 'RUNNING';
    update inbox set next_attempt_at = clock_timestamp() - interval '1 s' where state = 'RETRYABLE' and next_attempt_at is not null;
    update planning_runs set lease_until = clock_timestamp() - interval '1 s' where lease_until is not null;
    update notification_intents set lease_until = clock_timestamp() - interval '1 s' where state = 'SENDING';
    update notification_intents set next_attempt_at = clock_timestamp() - interval '1 s' where state = 'RETRY_WAIT'`);

/** A visit alone: what other operations have left waiting would make one tick longer than the next. */
const bookVisitAlone =
  (tick: (handles: Handles) => Promise<{ claimed: number }>): Operation["prepare"] =>
  async (world, run) => {
    await settle(world, tick);
    return bookVisit(world, run);
  };

/** Ticks until nothing changes any more; each after the leases of the last have run out. */
async function settle(world: World, tick: (handles: Handles) => Promise<{ claimed: number }>): Promise<void> {
  for (let round = 0; round < 100; round++) {
    await expireLeases(world);
    if ((await tick(world)).claimed === 0) return;
  }
  throw new Error("a hundred ticks did not settle it");
}

const one = async (world: World, query: string, id: string) =>
  (await world.superuser.$client.unsafe(query, [id]))[0] as Record<string, unknown>;

export const relayOperation: Operation = {
  name: "relay tick",
  usesWorker: true,
  prepare: bookVisitAlone(relay),
  act: async (handles) => ({ ...(await relay(handles)) }),
  inspect: async (world, data) => {
    const row = await one(world, "select state, attempts from outbox where aggregate_id = $1", data.appointmentId as string);
    const isKnown = ["PENDING", "CLAIMED", "PUBLISHED"].includes(row.state as string) && row.attempts === 0;
    return isKnown ? [] : [`a cut is no attempt, and the row waits or is published: ${JSON.stringify(row)}`];
  },
  retry: async (world, data) => {
    await settle(world, relay);
    const row = await one(
      world,
      `select o.state, o.log_partition, o.log_offset,
              (select count(*)::int from log_records r where r.headers->>'ce_id' = o.event_id::text) as records,
              (select count(*)::int from log_records r where r.headers->>'ce_id' = o.event_id::text
                 and r.partition = o.log_partition and r."offset" = o.log_offset) as at_position
       from outbox o where o.aggregate_id = $1`,
      data.appointmentId as string,
    );
    const [gaps] = await world.superuser.$client`
      select count(*)::int as n from log_partitions p
      where p.next_offset <> (select count(*) from log_records r where r.topic = p.topic and r.partition = p.partition)`;
    const found: string[] = [];
    if (row.state !== "PUBLISHED" || row.at_position !== 1) found.push(`not published where it says: ${JSON.stringify(row)}`);
    if ((row.records as number) > 2) found.push(`published ${row.records} times after one cut`);
    if (gaps?.n !== 0) found.push("the log has gaps");
    return found;
  },
};

export const dispatchOperation: Operation = {
  name: "dispatch tick",
  usesWorker: true,
  prepare: bookVisitAlone(dispatch),
  act: async (handles) => ({ ...(await dispatch(handles)) }),
  inspect: async (world, data) => {
    const row = await one(
      world,
      "select i.state, (select count(*)::int from mailbox_messages m where m.intent_id = i.id) as messages from notification_intents i where i.appointment_id = $1",
      data.appointmentId as string,
    );
    return row.state === "SENT" && row.messages !== 1 ? ["called sent, and no message is there"] : [];
  },
  retry: async (world, data) => {
    await settle(world, dispatch);
    const row = await one(
      world,
      `select i.state, (select count(*)::int from mailbox_messages m where m.intent_id = i.id) as messages,
              (select count(*)::int from notification_deliveries d where d.intent_id = i.id and d.outcome = 'SENT') as deliveries,
              (select told_placement_version from appointments a where a.id = i.appointment_id) as told
       from notification_intents i where i.appointment_id = $1`,
      data.appointmentId as string,
    );
    const isRight = row.state === "SENT" && row.messages === 1 && row.deliveries === 1 && row.told === "1";
    return isRight ? [] : [`not sent once: ${JSON.stringify(row)}`];
  },
};
