import { recoveryMaxMs } from "@/scripts/kill/scenario";
import type { Stand } from "@/scripts/kill/stand";
import { until } from "@/scripts/kill/until";
import type { DrillProgress } from "@/server/domain/drills/drill-progress";
import { beginBooking, catchUp, checkRecords, withLoad } from "./under-load";

const meanwhile = 15;
const accepted = "yes; their events waited, and the relays paused";

/** The log cannot be reached: bookings go on, events wait in the outbox, and nothing is counted against an event. */
export async function brokerDown(stand: Stand, progress: DrillProgress<"broker-down">): Promise<void> {
  const load = await beginBooking(stand, progress);
  await withLoad(load, async () => {
    const startLog = await progress.step("stopLog", async () => stopLog(stand));
    const before = load.acknowledged.length;
    const stoppedAt = new Date().toISOString();
    let [waiting, paused] = [0, 0];
    await progress.step("bookMeanwhile", async () => {
      await until(async () => {
        [waiting, paused] = [await toPublish(stand), await pausedRelays(stand, stoppedAt)];
        return load.acknowledged.length >= before + meanwhile && waiting > 0 && paused > 0; // the outage was felt, not only short
      }, recoveryMaxMs);
      return { facts: { commands: load.acknowledged.length - before, toPublish: waiting, pausedRelays: paused } };
    });
    const sinceMs = Date.now();
    await progress.step("startLog", startLog.start);
    await catchUp(stand, progress, { load, sinceMs });
    await progress.step("checkAll", async () => {
      const [row] = await stand.superuser.$client<{ rows: number; entries: number }[]>`
        select (select count(*)::int4 from inbox where attempts > 1) as rows, (select count(*)::int4 from outbox where attempts > 0) as entries`;
      progress.check(
        "bookingsAccepted",
        accepted,
        waiting > 0 && paused > 0 ? accepted : `${waiting} events waited, ${paused} relays paused`,
      );
      progress.check("noAttemptUsed", "0 inbox rows, 0 outbox entries", `${row?.rows} inbox rows, ${row?.entries} outbox entries`);
      await checkRecords(stand, progress, load);
    });
  });
}

async function toPublish({ superuser }: Stand): Promise<number> {
  const [row] = await superuser.$client<{ n: number }[]>`select count(*)::int4 as n from outbox where state in ('PENDING', 'CLAIMED')`;
  return row?.n ?? 0;
}

/** Relays that say they wait for what is away. */
async function pausedRelays({ superuser }: Stand, since: string): Promise<number> {
  const [row] = await superuser.$client<{ n: number }[]>`
    select count(*)::int4 as n from worker_heartbeats where role = 'outbox-relay' and state = 'PAUSED' and beat_at > ${since}::timestamptz`;
  return row?.n ?? 0;
}

/** Stops the real broker. The log in PostgreSQL has none: its tables are held, so that nobody reaches them while the rest of the database answers. */
async function stopLog(stand: Stand): Promise<{ start: () => Promise<void>; facts: Record<string, string> }> {
  if (stand.log === "kafka") {
    await stand.stopKafka();
    return { start: stand.startKafka, facts: { broker: "stopped" } };
  }
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isHeld = false;
  const holding = stand.superuser.$client.begin(async (tx) => {
    await tx`lock table log_records, log_partitions, log_group_offsets in access exclusive mode`;
    isHeld = true;
    await released;
  });
  if (!(await until(() => isHeld, recoveryMaxMs))) throw new Error("the tables of the log could not be held");
  const start = async () => {
    release();
    await holding;
  };
  return { start, facts: { broker: "none: the log lies in PostgreSQL, and its tables are held instead" } };
}
