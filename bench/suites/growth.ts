import { Temporal } from "temporal-polyfill";
import type { Suite } from "@/bench/lib/context";
import type { BenchDatabase } from "@/bench/lib/database";
import { type Explained, explain } from "@/bench/lib/explain";
import { consumeAll, fillAppointments, fillOutbox, publishAll } from "@/bench/lib/fill";
import type { Row } from "@/bench/lib/report";
import { createWorld, firstDay, type World } from "@/bench/lib/world";
import { withRead } from "@/db/client";
import { listDay } from "@/server/domain/appointments/list-day";
import { listSlots } from "@/server/domain/clinics/list-slots";
import { storyRecords } from "@/server/domain/operations/command-story";
import { claimEntries } from "@/server/domain/outbox/claim-entries";

const suite = "growth";
const [few, many] = [1_000, 100_000];

/** From 1,000 to 100,000 visits: the same plan, the same rows and buffers. EXPLAIN decides, not a clock. */
export const growth: Suite = async (context) => {
  const database = await context.freshDatabase();
  const world = await createWorld(database.migrator, { clinics: 5, name: suite });
  const asked = questions(database, world);
  // week 1 of every clinic is half full, and stays so: what grows lies in other weeks
  await fill(database, world, 0, few);
  await publishBehind(database, world, few);
  const before = await askAll(asked);
  await fill(database, world, few, many);
  await publishBehind(database, world, many);
  const after = await askAll(asked);
  return asked.flatMap(({ name }, i) => rowsOf(name, before[i] as Explained, after[i] as Explained));
};

type Question = { name: string; ask: () => Promise<Explained> };

function questions({ web, worker, bare }: BenchDatabase, world: World): Question[] {
  const [clinic] = world.clinics;
  if (!clinic) throw new Error("no clinic");
  const { actor } = world;
  const now = Temporal.Instant.from(`${firstDay}T00:00:00Z`).subtract({ hours: 24 });
  const wish = { clinicId: clinic.id, treatmentId: clinic.treatmentId, fromDate: firstDay, days: 7, now };
  const worker100 = { worker: "bench", limit: 100, leaseMs: 30_000 };
  return [
    { name: "slots of a week", ask: () => explain(web, actor, () => withRead(web, actor, (tx) => listSlots(tx, actor, wish))) },
    {
      name: "list of a day",
      ask: () => explain(web, actor, () => listDay(web, actor, { clinicId: clinic.id, date: firstDay, limit: 50 })),
    },
    {
      name: "claim of 100 outbox rows",
      ask: () =>
        explain(
          worker,
          { worker: "bench" },
          () => claimEntries(worker, worker100),
          () => giveBack(bare),
        ),
    },
    {
      name: "story of a command, two consumers",
      ask: async () => {
        const [one] = await bare<{ id: string }[]>`select command_id as id from outbox where state = 'PUBLISHED' order by event_id limit 1`;
        return explain(web, actor, () => withRead(web, actor, (tx) => storyRecords(tx, actor, one?.id ?? "", null, 50)));
      },
    },
  ];
}

async function askAll(asked: Question[]): Promise<Explained[]> {
  const found: Explained[] = [];
  for (const { ask } of asked) found.push(await ask());
  return found;
}

const giveBack = (bare: BenchDatabase["bare"]) =>
  bare`update outbox set state = 'PENDING', lease_owner = null, lease_until = null where state = 'CLAIMED'`;

/** Bookings 0 to 999 go into the first week, five clinics together; all later ones behind the second. */
async function fill(database: BenchDatabase, world: World, from: number, until: number): Promise<void> {
  const twoWeeks = 50 * 48 * 14;
  const place = (n: number) => (n < few ? n * 16 : twoWeeks + (n - few));
  await fillAppointments(
    database.urls.superuser,
    world,
    Array.from({ length: until - from }, (_, i) => world.booking(place(from + i))),
    from,
  );
}

/** Published and consumed rows behind the hundred that wait. */
async function publishBehind({ bare }: BenchDatabase, world: World, count: number): Promise<void> {
  await bare`truncate outbox, inbox, inbox_deliveries`;
  await fillOutbox(bare, world, count);
  await publishAll(bare);
  await consumeAll(bare, ["bench-a-v1", "bench-b-v1"]);
  await fillOutbox(bare, world, 100);
}

/** Tables that grow with the visits: a plan that reads one of them whole costs more with every one. */
const growing = ["appointments", "resource_claims", "outbox", "inbox", "inbox_deliveries"];

function rowsOf(name: string, before: Explained, after: Explained): Row[] {
  const plans = before.shape === after.shape ? "same plan" : `ANOTHER PLAN: ${before.shape}  ->  ${after.shape}`;
  const whole = growing.filter((table) => after.scanned.includes(table));
  const row = (what: string, of: (explained: Explained) => number, bar?: Row["bar"]): Row => ({
    suite,
    what: `${name}: ${what} with 100,000 visits`,
    unit: "",
    ours: of(after),
    baseline: "with 1,000",
    baselineFigure: of(before),
    ratio: of(after) / of(before),
    ...(bar ? { bar } : {}),
  });
  return [
    {
      ...row("rows read", (e) => e.rows, { atMost: 1 }),
      note: `${plans}; read whole as it is: ${whole.join(", ") || "no table that grows"}`,
    },
    { ...row("buffers", (e) => e.buffers, { atMost: 1.5 }), note: "up to one level more of a B-tree" },
    row("ms", (e) => e.ms),
  ];
}
