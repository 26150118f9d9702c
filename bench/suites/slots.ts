import { Temporal } from "temporal-polyfill";
import { fetchWeek, freeQuarters } from "@/bench/floors/slots";
import { type Suite, scaled } from "@/bench/lib/context";
import { fillAppointments } from "@/bench/lib/fill";
import { compared } from "@/bench/lib/report";
import { milliseconds, runAlternately } from "@/bench/lib/rounds";
import { createWorld, firstDay } from "@/bench/lib/world";
import { withRead } from "@/db/client";
import { listSlots } from "@/server/domain/clinics/list-slots";

const suite = "slots";

/** A week of ten doctors with 1,000 visits in it, one caller at a time: our list against fetching the rows that it is made from. */
export const slots: Suite = async (context) => {
  const database = await context.freshDatabase();
  const world = await createWorld(database.migrator, { clinics: 1, name: suite });
  const [clinic] = world.clinics;
  if (!clinic) throw new Error("no clinic");
  await fillAppointments(
    database.urls.superuser,
    world,
    Array.from({ length: 1_000 }, (_, n) => world.booking(n * 3)),
  );
  const amount = scaled(context, 40, 10);
  const repeat = (once: () => Promise<unknown>) => async () =>
    (await milliseconds(async () => {
      for (let i = 0; i < amount; i++) await once();
    })) / amount;
  const now = Temporal.Instant.from(`${firstDay}T00:00:00Z`).subtract({ hours: 24 });
  const week = { clinicId: clinic.id, treatmentId: clinic.treatmentId, fromDate: firstDay, days: 7, now };
  const list = (doctorId?: string) =>
    withRead(database.web, world.actor, (tx) => listSlots(tx, world.actor, { ...week, ...(doctorId ? { doctorId } : {}) }));
  const [doctor] = clinic.doctors;
  const found = { ours: (await list()).slots.length, one: (await list(doctor?.id)).slots.length };
  const measured = await runAlternately(
    [
      { name: "ours", run: repeat(() => list()) },
      { name: "fetch the rows", run: repeat(() => fetchWeek(database.bare, clinic.id, clinic.treatmentId, firstDay)) },
      { name: "one doctor", run: repeat(() => list(doctor?.id)) },
      { name: "one query", run: repeat(() => freeQuarters(database.bare, doctor?.resourceId ?? "", firstDay)) },
    ],
    context.rounds,
  );
  return [
    compared(measured, {
      suite,
      what: `a week of slots, 10 doctors, 1,000 visits (${found.ours} starts)`,
      unit: "ms",
      ours: "ours",
      baseline: "fetch the rows",
      bar: { atMost: 3 },
      note: "baseline: one plain select for each table, all sent at once on one connection",
    }),
    compared(measured, {
      suite,
      what: `a doctor's week, in process (${found.one} starts)`,
      unit: "ms",
      ours: "one doctor",
      baseline: "one query",
      note: "over HTTP the bar is 0.05 of the rate: suite http",
    }),
  ];
};
