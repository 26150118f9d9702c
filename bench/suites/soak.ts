import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Suite } from "@/bench/lib/context";
import type { BenchDatabase } from "@/bench/lib/database";
import { closedLoop, openLoop } from "@/bench/lib/load";
import type { CannonRequest } from "@/bench/lib/peers";
import { bodyOf } from "@/bench/lib/product";
import type { Row } from "@/bench/lib/report";
import { addToken, startWeb, startWorkers } from "@/bench/lib/servers";
import { createWorld, type World } from "@/bench/lib/world";

const suite = "soak";
const share = 0.7;
const sampleMs = 5_000;
/** A clinic group of this many visits a year: what a growing table costs is said for it. */
const visitsPerYear = 200_000;

/** A quarter of an hour of bookings at 70 % of the rate found before: memory of each process, and what each booking leaves in the tables. */
export const soak: Suite = async (context) => {
  const minutes = Number(process.env.BENCH_SOAK_MINUTES ?? (context.scale < 1 ? 1 : 15));
  const database = await context.freshDatabase();
  const world = await createWorld(database.migrator, { clinics: 8, name: suite, patients: 5_000 });
  const token = await addToken(database, world);
  const web = await startWeb(database, context.secrets, context.log);
  const workers = startWorkers(database, context.secrets);
  try {
    const next = bookings(world, token);
    await closedLoop(web.origin, 10, 200, next, { status: 201 });
    const found = await closedLoop(web.origin, 10, 1_500, next, { status: 201 });
    await untilDrained(database);
    const rate = Math.max(1, Math.floor(found.rate * share));
    context.log(`soak: ${minutes} minutes at ${rate}/s, 70 % of ${found.rate.toFixed(0)}/s`);
    const before = await sizes(database);
    const memory = sampleMemory({ "web app": web.child.pid, workers: workers.pid });
    const load = await openLoop(web.origin, rate, minutes * 60, next, { status: 201 });
    const rss = memory.stop();
    const lagSeconds = await untilDrained(database);
    const after = await sizes(database);
    const made = rate * minutes * 60;
    return [
      {
        suite,
        what: `${minutes} minutes at 70 % of the maximum`,
        unit: "/s",
        ours: rate,
        baseline: "maximum",
        baselineFigure: found.rate,
        note: `p95 ${load.p95.toFixed(0)} ms, p99 ${load.p99.toFixed(0)} ms; the workers were ${lagSeconds.toFixed(1)} s behind at the end`,
      },
      ...Object.entries(rss).map(([name, samples]) => memoryRow(name, samples)),
      ...growthRows(before, after, made),
    ];
  } finally {
    await Promise.all([workers.stop(), web.child.stop()]);
  }
};

function bookings(world: World, token: string): () => CannonRequest {
  let made = 0;
  return () => {
    const booking = world.booking(made++);
    return {
      method: "POST",
      path: `/api/v1/clinics/${booking.clinic.id}/appointments`,
      headers: { "content-type": "application/json", "idempotency-key": randomUUID(), authorization: `Bearer ${token}` },
      body: JSON.stringify(bodyOf(booking)),
    };
  };
}

/** Resident memory in MB from /proc, every 5 s. */
function sampleMemory(pids: Record<string, number | undefined>): { stop: () => Record<string, number[]> } {
  const samples: Record<string, number[]> = Object.fromEntries(Object.keys(pids).map((name) => [name, []]));
  const timer = setInterval(() => {
    for (const [name, pid] of Object.entries(pids)) {
      const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? Number.NaN);
      samples[name]?.push(kilobytes / 1024);
    }
  }, sampleMs);
  return {
    stop: () => {
      clearInterval(timer);
      return samples;
    },
  };
}

/** Flat: the line through the last two thirds rises by no more than 5 % of their mean from its one end to the other. */
function memoryRow(name: string, samples: number[]): Row {
  const last = samples.slice(Math.floor(samples.length / 3));
  const mean = last.reduce((sum, mb) => sum + mb, 0) / last.length;
  const middle = (last.length - 1) / 2;
  const slope = last.reduce((sum, mb, i) => sum + (i - middle) * (mb - mean), 0) / last.reduce((sum, _, i) => sum + (i - middle) ** 2, 0);
  const rise = slope * (last.length - 1);
  return {
    suite,
    what: `memory of the ${name}: mean of the last two thirds`,
    unit: "MB",
    ours: mean,
    baseline: "rise of their line",
    baselineFigure: rise,
    ratio: 1 + rise / mean,
    bar: { atMost: 1.05 },
    note: `from ${samples[0]?.toFixed(0)} to ${samples.at(-1)?.toFixed(0)} MB, at most ${Math.max(...samples).toFixed(0)} MB`,
  };
}

type Size = { table: string; bytes: number };

const sizes = ({ bare }: BenchDatabase): Promise<Size[]> =>
  bare<Size[]>`
    select relname as "table", pg_total_relation_size(oid)::float8 as bytes
    from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace`;

/** Bytes a booking leaves behind, and what that is in a year. */
function growthRows(before: Size[], after: Size[], made: number): Row[] {
  const was = new Map(before.map(({ table, bytes }) => [table, bytes]));
  return after
    .map(({ table, bytes }) => ({ table, perBooking: (bytes - (was.get(table) ?? 0)) / made }))
    .filter(({ perBooking }) => perBooking >= 1)
    .sort((a, b) => b.perBooking - a.perBooking)
    .map(({ table, perBooking }) => ({
      suite,
      what: `${table}: a booking leaves`,
      unit: "bytes",
      ours: perBooking,
      note: `${((perBooking * visitsPerYear) / 1e6).toFixed(0)} MB a year at ${visitsPerYear.toLocaleString("en")} visits, with its indexes`,
    }));
}

/** Waits until every event had its effects; answers the seconds it took. */
async function untilDrained({ bare }: BenchDatabase): Promise<number> {
  const began = performance.now();
  for (;;) {
    const [row] = await bare<{ left: number }[]>`
      select (select count(*) from outbox where state <> 'PUBLISHED')::int4
        + greatest(0, 2 * (select count(*) from outbox) - (select count(*) from inbox where state = 'PROCESSED'))::int4 as left`;
    const seconds = (performance.now() - began) / 1000;
    if (row?.left === 0) return seconds;
    if (seconds > 300) throw new Error(`${row?.left} effects were missing after five minutes`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
