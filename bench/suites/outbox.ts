import { bareRow, insertOutboxRow } from "@/bench/floors/outbox";
import { singleRowCommits } from "@/bench/lib/commit-rate";
import { type Suite, scaled } from "@/bench/lib/context";
import { alone, compared } from "@/bench/lib/report";
import { ratePerSecond, runAlternately } from "@/bench/lib/rounds";
import { createWorld, type World } from "@/bench/lib/world";
import { withTx } from "@/db/client";
import { appointmentEvent } from "@/server/domain/appointments/events";
import { appendEvent, type NewEvent } from "@/server/domain/outbox/append-event";
import { newRef, newUuid } from "@/server/ids";

const suite = "outbox";

/** The append inside withTx against the same withTx with one bare insert of the same row. */
export const outbox: Suite = async (context) => {
  const database = await context.freshDatabase();
  const world = await createWorld(database.migrator, { clinics: 1, name: suite });
  const amount = scaled(context, 3_000, 300);
  const { actor } = world;
  let made = 0;
  const prepared = { events: [] as NewEvent[], rows: [] as ReturnType<typeof bareRow>[] };
  const measured = await runAlternately(
    [
      {
        name: "ours",
        prepare: async () => {
          prepared.events = Array.from({ length: amount }, () => eventOf(world, made++));
        },
        run: () => ratePerSecond(amount, 10, (i) => withTx(database.web, actor, (tx) => appendEvent(tx, prepared.events[i] as NewEvent))),
      },
      {
        name: "bare insert",
        prepare: async () => {
          prepared.rows = Array.from({ length: amount }, () => bareRow(eventOf(world, made++)));
        },
        run: () => ratePerSecond(amount, 10, (i) => withTx(database.web, actor, (tx) => insertOutboxRow(tx, prepared.rows[i] as never))),
      },
      await singleRowCommits(database.bare, amount),
    ],
    context.rounds,
    () => database.bare`analyze`,
  );
  return [
    compared(measured, {
      suite,
      what: "append an event, 10 at a time",
      unit: "/s",
      ours: "ours",
      baseline: "bare insert",
      bar: { atLeast: 0.9 },
    }),
    alone(measured, { suite, what: "single-row commits, 10 connections", unit: "/s", side: "single-row commits, 10 connections" }),
  ];
};

function eventOf(world: World, n: number): NewEvent {
  const { clinic, doctor, treatmentId, startsAt, endsAt, localDate } = world.booking(n);
  const id = newUuid();
  const visit = { id, ref: newRef("APT"), version: "1", clinicId: clinic.id, treatmentId };
  const to = { status: "CONFIRMED" as const, doctorId: doctor.id, startsAt, endsAt, localDate };
  return {
    commandId: newUuid(),
    tenantGroupId: world.tenantGroupId,
    clinicId: clinic.id,
    topic: "appointment.v1",
    aggregateType: "appointment",
    aggregateId: id,
    aggregateSeq: "1",
    ...appointmentEvent(visit, "CREATED", null, to, null),
  };
}
