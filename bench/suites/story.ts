import { type Suite, scaled } from "@/bench/lib/context";
import { explain } from "@/bench/lib/explain";
import { consumeAll, fillAppointments, fillOutbox, publishAll } from "@/bench/lib/fill";
import { compared, limited, type Row } from "@/bench/lib/report";
import { median, p95Side, runAlternately, type Side } from "@/bench/lib/rounds";
import { startWeb } from "@/bench/lib/servers";
import { asker, signedIn } from "@/bench/lib/signed-in";
import { type BenchClinic, createWorld } from "@/bench/lib/world";
import { withRead } from "@/db/client";
import { storyRecords } from "@/server/domain/operations/command-story";
import type { StoryCursor, StoryHead, StoryPart } from "@/server/domain/operations/story-types";

const suite = "story";
const targetMs = 150;
const deliveries = 200;

/** The story of a command whose event was delivered 200 times, beside that of one that was delivered once, among 50,000 others. */
export const story: Suite = async (context) => {
  const database = await context.freshDatabase();
  const world = await createWorld(database.migrator, { clinics: 1, name: suite });
  const [clinic] = world.clinics as [BenchClinic];
  const { bare, web: db } = database;
  await fillAppointments(database.urls.superuser, world, [world.booking(0)]);
  await fillOutbox(bare, world, scaled(context, 50_000));
  await publishAll(bare);
  await consumeAll(bare, ["bench-a-v1", "bench-b-v1"]);
  const commands = await bare<{ id: string }[]>`select command_id as id from outbox order by event_id limit 2`;
  const [long, short] = commands.map(({ id }) => id) as [string, string];
  await bare`
    insert into inbox_deliveries (tenant_group_id, clinic_id, inbox_id, consumer, event_id, command_id, outcome, log_id, partition, "offset", worker,
      started_at, duration_ms, at)
    select tenant_group_id, clinic_id, id, consumer, event_id, command_id, 'DUPLICATE', log_id, partition, first_offset, 'bench', now(), 1,
      clock_timestamp() + n * interval '1 second'
    from inbox cross join generate_series(1, ${deliveries - 2}::int4) n
    where command_id = ${long} and consumer = 'bench-a-v1'`;
  await bare`analyze`;
  const web = await startWeb(database, context.secrets, context.log);
  const { ask, close } = asker(web.origin, await signedIn(database, context, world, clinic));
  const part = (commandId: string, cursor: StoryCursor | null = null) => ask<StoryPart>("stories.records", { commandId, cursor });
  try {
    const { cursors, records } = await wholeStory(part, long);
    const head = await ask<StoryHead>("stories.head", { commandId: long });
    const counted = head.consumers.reduce((sum, consumer) => sum + consumer.deliveries, 0);
    if (counted !== deliveries || records !== head.counts.records)
      throw new Error(`${counted} deliveries, ${records} of ${head.counts.records}`);
    const amount = scaled(context, 40, 10);
    const sides: Side[] = [
      ["one delivery: head", () => ask("stories.head", { commandId: short })],
      ["one delivery: first part", () => part(short)],
      ["200 deliveries: head", () => ask("stories.head", { commandId: long })],
      ["200 deliveries: first part", () => part(long)],
      ["200 deliveries: last part", () => part(long, cursors.at(-1))],
    ].map(([name, ask]) => p95Side(name as string, amount, ask as () => Promise<unknown>));
    const measured = await runAlternately(sides, context.rounds);
    const beside = (what: string, baseline: string): Row[] => {
      const ours = `200 deliveries: ${what}`;
      return [
        compared(measured, { suite, what: `${ours}, p95`, unit: "ms", ours, baseline, bar: { atMost: 2 } }),
        limited({ suite, what: `${ours}, p95` }, median(measured.of(ours)), targetMs),
      ];
    };
    const plan = await explain(db, world.actor, () => withRead(db, world.actor, (tx) => storyRecords(tx, world.actor, long, null, 60)));
    return [
      ...beside("head", "one delivery: head"),
      ...beside("first part", "one delivery: first part"),
      ...beside("last part", "200 deliveries: first part"),
      {
        suite,
        what: "rows read for a part",
        unit: "",
        ours: plan.rows,
        note: `read whole: ${plan.scanned.join(", ") || "no table"}; ${cursors.length + 1} parts`,
      },
    ];
  } finally {
    close();
    await web.child.stop();
  }
};

/** Every part, as a reader who goes to the end; where each began, and how many records there are. */
async function wholeStory(part: (commandId: string, cursor: StoryCursor | null) => Promise<StoryPart>, commandId: string) {
  const cursors: StoryCursor[] = [];
  let records = 0;
  for (let cursor: StoryCursor | null = null; ; ) {
    const found: StoryPart = await part(commandId, cursor);
    records += found.records.length;
    if (!found.next) return { cursors, records };
    cursor = found.next;
    cursors.push(cursor);
  }
}
