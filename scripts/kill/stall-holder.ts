import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@/db/testing/embedded-postgres";
import { type Drill, type Harm, recoveryMaxMs, type Scenario } from "./scenario";
import { leaseMs, type Stand } from "./stand";
import { atPoint } from "./supervised";
import { until } from "./until";

type Row = { id: string; kept: string };
type Holder = {
  role: "outbox-relay" | "appointment-consumers" | "notification-dispatch";
  points: string[];
  /** Rows that a process holds; `kept`: what must not change once its successor has settled them. */
  held: (stand: Stand, owner: string) => Promise<Row[]>;
  rows: (stand: Stand, ids: string[]) => Promise<(Row & { ended: boolean })[]>;
  /**
   * How many of the late process's attempts on these rows ended FENCED, by the records or by its own count. Not all need to: where it slept in the middle
   * of a claim, or its connection was gone when it woke up, it has no attempt to end.
   */
  fenced: (stand: Stand, late: Late) => Promise<number>;
};
type Late = { owner: string; ids: string[]; point: string; port: number };

const holders: Holder[] = [
  {
    role: "outbox-relay",
    points: ["relay.afterPublish", "relay.afterClaim"],
    held: ({ superuser }, owner) =>
      superuser.$client<Row[]>`select event_id as id, '' as kept from outbox where state = 'CLAIMED' and lease_owner like ${owner}`,
    rows: ({ superuser }, ids) =>
      superuser.$client<(Row & { ended: boolean })[]>`
        select event_id as id, state = 'PUBLISHED' as ended, concat_ws('/', fence, state, log_partition, log_offset, published_at) as kept
        from outbox where event_id = any (${ids}::uuid[]) order by event_id`,
    // stopped behind its publish: its record is a copy, and it counts a mark that came too late. Before it: it publishes nothing of that any more, which
    // is known when it has published something else
    fenced: async ({ superuser }, { ids, point, port }) => {
      const isPublished = point === "relay.afterPublish";
      const [row] = await superuser.$client`
        select count(*)::int as n from outbox o
        where o.event_id = any (${ids}::uuid[])
          and (select count(*) from log_records r where r.headers->>'ce_id' = o.event_id::text) = ${isPublished ? 2 : 1}`;
      const wentOn = await counted(port, `aops_outbox_relayed_total{outcome="${isPublished ? "fenced" : "published"}"}`);
      return wentOn > 0 && (isPublished || row?.n === ids.length) ? row?.n : 0;
    },
  },
  {
    role: "appointment-consumers",
    points: ["inbox.afterClaim"],
    held: ({ superuser }, owner) =>
      superuser.$client<Row[]>`select id, '' as kept from inbox where state = 'PROCESSING' and lease_owner like ${owner}`,
    rows: ({ superuser }, ids) =>
      superuser.$client<(Row & { ended: boolean })[]>`
        select id, state = 'PROCESSED' as ended, concat_ws('/', fence, state, version, effect, attempts, processed_at) as kept
        from inbox where id = any (${ids}::uuid[]) order by id`,
    fenced: async ({ superuser }, { owner, ids }) => {
      const [row] = await superuser.$client`
        select count(distinct inbox_id)::int as n from inbox_deliveries
        where outcome = 'FENCED' and worker like ${owner} and inbox_id = any (${ids}::uuid[])`;
      return row?.n;
    },
  },
  {
    role: "notification-dispatch",
    points: ["dispatch.afterCall", "dispatch.afterClaim"],
    held: ({ superuser }, owner) =>
      superuser.$client<Row[]>`
        select id, '' as kept from notification_intents where state = 'SENDING' and lease_owner like ${owner}`,
    rows: ({ superuser }, ids) =>
      superuser.$client<(Row & { ended: boolean })[]>`
        select i.id, i.state in ('SENT', 'SUPPRESSED') as ended,
          concat_ws('/', i.fence, i.state, i.attempts, i.settled_at, (select m.received_at from mailbox_messages m where m.intent_id = i.id)) as kept
        from notification_intents i where i.id = any (${ids}::uuid[]) order by i.id`,
    // behind a call its late settlement leaves a delivery row; before it all are counted together
    fenced: async ({ superuser }, { owner, ids, point, port }) => {
      if (point === "dispatch.afterClaim") return Math.min(await counted(port, 'aops_notifications_total{outcome="fenced"}'), ids.length);
      const [row] = await superuser.$client`
        select count(*)::int as n from notification_deliveries
        where outcome = 'FENCED' and worker like ${owner} and intent_id = any (${ids}::uuid[])`;
      return row?.n;
    },
  },
];

/** A counter of the process's own page; 0 when it is not there. */
export async function counted(port: number, name: string): Promise<number> {
  const page = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(5_000) }).then(
    (answer) => answer.text(),
    () => "",
  );
  const line = page.split("\n").find((one) => one.startsWith(name));
  return Number(line?.slice(name.length) ?? 0);
}

/** One more process of the role stops itself while it holds a lease; another takes its work over; then it wakes up. */
async function stallAt({ stand, recovery }: Drill, holder: Holder, point: string): Promise<Harm> {
  const port = await freePort();
  const sleeper = stand.add(holder.role, { ...atPoint(point, "SIGSTOP"), WORKER_PORT: String(port) });
  try {
    if (!(await until(() => sleeper.state() === "T", recoveryMaxMs)))
      return { what: "", recoveriesMs: [], faults: [`nobody came to ${point}`] };
    const recovered = recovery();
    await sleep(500); // what it had sent to the database ends there
    const owner = `${holder.role}:%:${sleeper.pid()}:%`;
    const held = await holder.held(stand, owner);
    if (held.length === 0) return { what: "", recoveriesMs: [], faults: [`${point} was met with nothing in hand`] };
    const ids = held.map(({ id }) => id);
    const ended = await until(async () => (await holder.rows(stand, ids)).every((row) => row.ended), leaseMs + recoveryMaxMs);
    const before = JSON.stringify((await holder.rows(stand, ids)).map(({ kept }) => kept));
    sleeper.signal("SIGCONT");
    const late = { owner, ids, point, port };
    const isFenced = await until(async () => (await holder.fenced(stand, late)) > 0, recoveryMaxMs);
    await sleep(1_500); // whatever else it may do with what it held
    const after = JSON.stringify((await holder.rows(stand, ids)).map(({ kept }) => kept));
    return {
      what: `${ids.length} held at ${point}`,
      recoveriesMs: [await recovered],
      faults: [
        ...(ended ? [] : [`${point}: nobody took over`]),
        ...(isFenced ? [] : [`${point}: none of ${ids.length} late attempts ended fenced`]),
        ...(before === after ? [] : [`${point}: the late process changed ${before} to ${after}`]),
        ...sleeper.unasked,
      ],
    };
  } finally {
    await sleeper.end();
  }
}

export const stallScenarios: Scenario[] = holders.map((holder) => ({
  name: `SIGSTOP of ${holder.role} beyond its lease`,
  log: "postgres",
  run: async (drill) => {
    const points = drill.isSample ? holder.points.slice(0, 1) : holder.points;
    const harms = await Promise.all(points.map((point) => stallAt(drill, holder, point)));
    return {
      what: `${harms.map(({ what }) => what).join(", ")}: fenced`,
      recoveriesMs: harms.flatMap(({ recoveriesMs }) => recoveriesMs),
      faults: harms.flatMap(({ faults }) => faults ?? []),
    };
  },
}));
