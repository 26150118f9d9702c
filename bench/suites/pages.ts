import http from "node:http";
import { gzipSync } from "node:zlib";
import { type Context, type Suite, scaled } from "@/bench/lib/context";
import type { BenchDatabase } from "@/bench/lib/database";
import { fillAppointments } from "@/bench/lib/fill";
import { send } from "@/bench/lib/load";
import { inboxRuntime } from "@/bench/lib/product";
import { inBatches, makeRecords } from "@/bench/lib/records";
import { compared, type Row } from "@/bench/lib/report";
import { p95Side, runAlternately, type Side } from "@/bench/lib/rounds";
import { startWeb } from "@/bench/lib/servers";
import { signedIn } from "@/bench/lib/signed-in";
import { type BenchClinic, type Booking, createWorld, firstDay, type World } from "@/bench/lib/world";
import { desksInputs, firstContents, visitsOfDay } from "@/bench/suites/pages-in-browser";
import { withTx } from "@/db/client";
import { insertDoctor, insertHours } from "@/server/domain/clinics/set-up";
import { processBatch } from "@/server/domain/inbox/process-batch";
import { done, type LogicalConsumer, quarantine } from "@/server/domain/inbox/types";

const suite = "pages";
const scriptBytesMax = 250 * 1024;

/**
 * First page of desk and console: the server's time for a busy clinic against one without rows, the script that a browser loads for it, what an input on
 * a full day takes until it is painted, and when the first content of the demo stands on the screen.
 */
export const pages: Suite = async (context) => {
  const database = await context.freshDatabase();
  const world = await createWorld(database.migrator, { clinics: 2, name: suite });
  const [busy, empty] = world.clinics as [BenchClinic, BenchClinic];
  await fillDay(context, database, world, busy);
  const web = await startWeb(database, context.secrets, context.log);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
  try {
    const cookies = new Map<BenchClinic, string>();
    for (const clinic of [busy, empty]) cookies.set(clinic, await signedIn(database, context, world, clinic));
    const get = (url: string, clinic: BenchClinic) =>
      send(agent, web.origin, { method: "GET", path: url, headers: { cookie: cookies.get(clinic) ?? "" } }, { status: 200 });
    const amount = scaled(context, 60, 15);
    const side = (url: string, clinic: BenchClinic): Side => p95Side(`${url} ${clinic.id}`, amount, () => get(url, clinic));
    const rows: Row[] = [];
    for (const [what, url] of [
      ["desk, a day", `/desk?date=${firstDay}`],
      ["console, delivery", "/operations/delivery"],
    ] as const) {
      const measured = await runAlternately([side(url, busy), side(url, empty)], context.rounds);
      rows.push(
        compared(measured, {
          suite,
          what: `${what}: server p95`,
          unit: "ms",
          ours: `${url} ${busy.id}`,
          baseline: `${url} ${empty.id}`,
          bar: { atMost: 3 },
          note: "baseline: the same page for a clinic without rows; one request at a time",
        }),
      );
      const { bytes, files } = await scriptsOf(await get(url, busy), (file) => get(file, busy));
      rows.push({
        suite,
        what: `${what}: script, gzip`,
        unit: "KB",
        ours: bytes / 1024,
        baseline: "250 KB",
        baselineFigure: scriptBytesMax / 1024,
        ratio: bytes / scriptBytesMax,
        bar: { atMost: 1 },
        note: `${files} files that the page names, without those for old browsers`,
      });
    }
    rows.push(...(await desksInputs(context, web.origin, cookies.get(busy) ?? "")), ...(await firstContents(context)));
    return rows;
  } finally {
    agent.destroy();
    await web.child.stop();
  }
};

const visitsOfTwo = 30;

/** Thirty visits more, of two doctors more: with the others 150 visits of 12 doctors. */
async function twoMoreDoctors(database: BenchDatabase, busy: BenchClinic, free: Booking[]): Promise<Booking[]> {
  const more = await withTx(database.migrator, {}, async (tx) => {
    const doctors: BenchClinic["doctors"] = [];
    for (const name of ["Doctor 11", "Doctor 12"]) {
      const doctor = await insertDoctor(tx, busy, { name });
      await insertHours(tx, busy, { weekdays: [1, 2, 3, 4, 5, 6, 7], intervals: [["08:00", "20:00"]], doctorId: doctor.id });
      doctors.push(doctor);
    }
    return doctors;
  });
  const taken = new Map<string, number>();
  return free
    .flatMap((booking) => {
      const nth = taken.get(booking.startsAt) ?? 0;
      taken.set(booking.startsAt, nth + 1);
      const doctor = more[nth];
      return doctor ? [{ ...booking, doctor }] : [];
    })
    .slice(0, visitsOfTwo);
}

/** A full day for the desk (12 doctors, 150 visits) and 1,500 delivery rows of the last hour, 30 of them in quarantine. */
async function fillDay(context: Context, database: BenchDatabase, world: World, busy: BenchClinic): Promise<void> {
  const ofBusy = Array.from({ length: 480 }, (_, n) => world.booking(n * 2)).filter(({ clinic }) => clinic.id === busy.id);
  const [half, otherHalf] = [0, 1].map((odd) => ofBusy.filter((_, n) => n % 2 === odd)) as [Booking[], Booking[]];
  await fillAppointments(database.urls.superuser, world, [
    ...half.slice(0, visitsOfDay - visitsOfTwo),
    ...(await twoMoreDoctors(database, busy, otherHalf)),
  ]);
  const runtime = inboxRuntime(database.worker, context.secrets, "bench-log");
  const consumer: LogicalConsumer = {
    id: "daily-load-v1",
    topics: ["appointment.v1"],
    order: "ordered",
    handle: async (_tx, events) => events.map((_, n) => (n % 50 === 0 ? quarantine("BENCH") : done)),
  };
  const records = makeRecords(world, 3_000, "bench-log").filter(({ headers }) => headers.ce_clinicid === busy.id);
  const control = { signal: new AbortController().signal, heartbeat: async () => {} };
  for (const batch of inBatches(records, 100)) await processBatch(runtime, consumer, batch, control);
  await database.bare`analyze`;
}

/** The scripts that the page names, fetched as a browser would, each with gzip of its own. */
async function scriptsOf(html: string, fetchText: (url: string) => Promise<string>): Promise<{ bytes: number; files: number }> {
  const tags = [...html.matchAll(/<script\b[^>]*>/g)].map(([tag]) => tag).filter((tag) => !/\bnomodule\b/i.test(tag));
  const names = [...new Set(tags.map((tag) => /\bsrc="(\/_next\/static\/[^"]+)"/.exec(tag)?.[1]).filter((name) => name !== undefined))];
  if (names.length === 0) throw new Error("the page names no script");
  let bytes = 0;
  for (const name of names) bytes += gzipSync(await fetchText(name)).length;
  return { bytes, files: names.length };
}
