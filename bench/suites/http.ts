import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { commitSide, singleRowCommits } from "@/bench/lib/commit-rate";
import { type Suite, scaled } from "@/bench/lib/context";
import { closedLoop, openLoop } from "@/bench/lib/load";
import type { CannonRequest } from "@/bench/lib/peers";
import { bodyOf } from "@/bench/lib/product";
import { alone, compared } from "@/bench/lib/report";
import { type Measured, runAlternately, type Side } from "@/bench/lib/rounds";
import { addToken, type Server, startFloor, startWeb } from "@/bench/lib/servers";
import { createWorld, firstDay, type World } from "@/bench/lib/world";

const suite = "http";
/** What both booking peers were recorded at, as a share of single-row commits: payload-reserve .005, django-appointment .0058. */
const peerRel = 0.0058;

/** The built web app against bare node:http, each in a process of its own on one database. */
export const httpSuite: Suite = async (context) => {
  const database = await context.freshDatabase();
  const folder = mkdtempSync(path.join(os.tmpdir(), "bench-http-"));
  const worldOf = (name: string) => createWorld(database.migrator, { clinics: 4, name });
  const [ours, theirs] = [await worldOf("product"), await worldOf("floor")];
  const token = await addToken(database, ours);
  const children: Server[] = [];
  try {
    const web = await startWeb(database, context.secrets, context.log);
    children.push(web);
    const floor = await startFloor(database, theirs, folder);
    children.push(floor);
    const oursNext = bookings(ours, { authorization: `Bearer ${token}` });
    const theirsNext = bookings(theirs, {});
    const [amount, weeks] = [scaled(context, 600, 60), scaled(context, 400, 50)];
    const created = { status: 201 };
    const ok = { status: 200 };
    const book: Side[] = [
      { name: "ours", run: async () => (await closedLoop(web.origin, 10, amount, oursNext, created)).rate },
      { name: "floor", run: async () => (await closedLoop(floor.origin, 10, amount, theirsNext, created)).rate },
      await singleRowCommits(database.bare, amount * 5),
    ];
    const booked = await runAlternately(book, context.rounds, () => database.bare`analyze`);
    const week: Side[] = [
      {
        name: "ours",
        run: async () => (await closedLoop(web.origin, 10, weeks, weekOf(ours, { authorization: `Bearer ${token}` }), ok)).rate,
      },
      { name: "floor", run: async () => (await closedLoop(floor.origin, 10, weeks, weekOf(theirs, {}), ok)).rate },
    ];
    const listed = await runAlternately(week, context.rounds);
    const seconds = scaled(context, 10, 4);
    const steady = await runAlternately(
      [
        { name: "ours", run: async () => (await openLoop(web.origin, 50, seconds, oursNext, created)).p95 },
        { name: "floor", run: async () => (await openLoop(floor.origin, 50, seconds, theirsNext, created)).p95 },
      ],
      context.rounds,
    );
    return [...bookingRows(booked), slotsRow(listed), steadyRow(steady)];
  } finally {
    await Promise.all(children.map(({ child }) => child.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
};

function bookings(world: World, headers: Record<string, string>): () => CannonRequest {
  let made = 0;
  return () => {
    const booking = world.booking(made++);
    return {
      method: "POST",
      path: `/api/v1/clinics/${booking.clinic.id}/appointments`,
      headers: { "content-type": "application/json", "idempotency-key": randomUUID(), ...headers },
      body: JSON.stringify(bodyOf(booking)),
    };
  };
}

/** The same week for each doctor in turn: some of it is booked by the rounds before. */
function weekOf(world: World, headers: Record<string, string>): () => CannonRequest {
  let made = 0;
  return () => {
    const { clinic, doctor, treatmentId } = world.booking(made++ % 40);
    const query = new URLSearchParams({ treatmentId, doctorId: doctor.id, from: firstDay, days: "7" });
    return { method: "GET", path: `/api/v1/clinics/${clinic.id}/slots?${query}`, headers };
  };
}

const bookingRows = (measured: Measured) => [
  compared(measured, {
    suite,
    what: "book over HTTP, 10 connections",
    unit: "/s",
    ours: "ours",
    baseline: "floor",
    bar: { atLeast: 0.25 },
    note: "baseline: bare node:http that parses the same JSON and writes the same rows one by one; no token, no key, no limits, no facts",
  }),
  compared(measured, {
    suite,
    what: "the same, as rel",
    unit: "/s",
    ours: "ours",
    baseline: commitSide,
    bar: { atLeast: 5 * peerRel },
    note: "5 x the recorded rel of payload-reserve 4.4.2 (.005) and django-appointment 3.12 (.0058), which sold one slot ten times to ten clients",
  }),
  alone(measured, { suite, what: "floor: book", unit: "/s", side: "floor" }),
];

const slotsRow = (measured: Measured) =>
  compared(measured, {
    suite,
    what: "a doctor's week of slots, 10 connections",
    unit: "/s",
    ours: "ours",
    baseline: "floor",
    bar: { atLeast: 0.05 },
    note: "baseline: bare node:http with one query over that doctor's claims; no hours, breaks, closures, absences, devices. Recorded peers: 2.3 and 11 /s",
  });

const steadyRow = (measured: Measured) =>
  compared(measured, {
    suite,
    what: "p95 of booking at 50 requests/s",
    unit: "ms",
    ours: "ours",
    baseline: "floor",
    bar: { atMost: 2 },
    note: "each time runs from the moment the request was due",
  });
