import { type Suite, scaled } from "@/bench/lib/context";
import type { BenchDatabase } from "@/bench/lib/database";
import { fillAppointments } from "@/bench/lib/fill";
import { fillQueue, type QueueFill } from "@/bench/lib/fill-queue";
import { compared, limited, type Row } from "@/bench/lib/report";
import { median, p95Side, runAlternately } from "@/bench/lib/rounds";
import { startWeb } from "@/bench/lib/servers";
import { type Ask, asker, signedIn } from "@/bench/lib/signed-in";
import { type BenchClinic, createWorld } from "@/bench/lib/world";
import type { DeliveryCounts } from "@/server/domain/operations/delivery-counts";
import type { ReasonGroups } from "@/server/domain/operations/reason-groups";
import type { QueueCursor, QueueFilter, QueuePage } from "@/server/domain/operations/types";

const suite = "queue";
const targetMs = 150;
const pageSize = 50;
/** A read by primary key through the same server and the same checks. */
const point = "point read";

/** The console over 1,000,000 rows of one clinic, 2,000 reasons: its first pages, a page far behind, its numbers, and what a typed identity finds. */
export const queue: Suite = async (context) => {
  const database = await context.freshDatabase();
  const world = await createWorld(database.migrator, { clinics: 1, name: suite });
  const [clinic] = world.clinics as [BenchClinic];
  await fillAppointments(
    database.urls.superuser,
    world,
    Array.from({ length: 20_000 }, (_, n) => world.booking(n)),
  );
  const fill = { stopped: scaled(context, 510_000), waiting: scaled(context, 40_000), settled: scaled(context, 450_000), reasons: 2_000 };
  const began = performance.now();
  await fillQueue(database.bare, world, clinic, fill);
  context.log(`filled in ${Math.round((performance.now() - began) / 1000)} s`);
  const web = await startWeb(database, context.secrets, context.log);
  const { ask, close } = asker(web.origin, await signedIn(database, context, world, clinic));
  try {
    await checkCounts(ask, fill);
    const questions = await questionsOf(database, ask, { clinicId: clinic.id, patientId: world.patients[0]?.id ?? "" }, fill);
    const sides = questions.map(({ name, ask }) => p95Side(name, scaled(context, 40, 10), ask));
    const measured = await runAlternately(sides, context.rounds);
    const rowsOf = ({ name, against, bar }: Question): Row[] => [
      ...(against ? [compared(measured, { suite, what: `${name}: p95`, unit: "ms", ours: name, baseline: against, bar })] : []),
      ...(name === point ? [] : [limited({ suite, what: `${name}: p95` }, median(measured.of(name)), targetMs)]),
    ];
    return questions.flatMap(rowsOf);
  } finally {
    close();
    await web.child.stop();
  }
};

type Question = { name: string; ask: () => Promise<unknown>; against?: string; bar?: Row["bar"] };

/** One read by a primary key through the same server, and the reads of the console. */
async function questionsOf(
  { bare }: BenchDatabase,
  ask: Ask,
  patient: { clinicId: string; patientId: string },
  fill: QueueFill,
): Promise<Question[]> {
  const page = (filter: Partial<QueueFilter>, cursor: QueueCursor | null = null) => pageOf(ask, filter, cursor, pageSize);
  const deep = Math.floor((fill.stopped * 0.98) / pageSize);
  const [stopped, settled] = [await stoppedAt(bare, deep), await settledAt(bare, Math.floor((fill.settled * 0.9) / pageSize))];
  const [named] = await bare<{ ref: string; command: string; digest: string }[]>`
    select a.ref, i.command_id as command, i.content_digest as digest
    from inbox i join appointments a on a.id = i.aggregate_id where i.state = 'QUARANTINED' limit 1`;
  const found = (search?: string) => pageOf(ask, { search }, null, 1);
  return [
    { name: point, ask: () => ask("desk.patient", patient) },
    { name: "first page", ask: () => page({}), against: point, bar: { atMost: 3 } },
    { name: "first page of one reason", ask: () => page({ reason: "REASON_7" }), against: point, bar: { atMost: 3 } },
    { name: "first page of what settled", ask: () => page({ states: ["PROCESSED"] }), against: point, bar: { atMost: 3 } },
    { name: `page ${deep}`, ask: () => page({}, stopped), against: "first page", bar: { atMost: 2 } },
    {
      name: "a late page of what settled",
      ask: () => page({ states: ["PROCESSED"] }, settled),
      against: "first page of what settled",
      bar: { atMost: 2 },
    },
    { name: "badge", ask: () => ask("delivery.needsDecision") },
    { name: "tiles", ask: () => ask("delivery.counts") },
    { name: "200 of 2,000 reason groups", ask: () => ask("delivery.groups") },
    { name: "search: reference of a visit", ask: () => found(named?.ref) },
    { name: "search: command", ask: () => found(named?.command) },
    { name: "search: start of a digest", ask: () => found(named?.digest.slice(0, 12)) },
  ];
}

async function pageOf(ask: Ask, filter: Partial<QueueFilter>, cursor: QueueCursor | null, least: number): Promise<QueuePage> {
  const page = await ask<QueuePage>("delivery.queue", { filter, cursor });
  if (page.rows.length < least) throw new Error(`a page of ${page.rows.length} rows instead of ${least} at ${JSON.stringify(filter)}`);
  return page;
}

async function stoppedAt(bare: BenchDatabase["bare"], page: number): Promise<QueueCursor> {
  const [row] = await bare<{ id: string; at: string }[]>`
    select row_id as id, stopped_at as at from delivery_tasks where status = 'OPEN'
    order by stopped_at desc, row_id desc offset ${(page - 1) * pageSize - 1} limit 1`;
  return { group: "DECISION", at: row?.at ?? "", id: `inbox.${row?.id}` };
}

async function settledAt(bare: BenchDatabase["bare"], page: number): Promise<QueueCursor> {
  const [row] = await bare<{ id: string; at: string }[]>`
    select inbox_id as id, at from inbox_deliveries where outcome = 'PROCESSED'
    order by at desc, inbox_id desc offset ${(page - 1) * pageSize - 1} limit 1`;
  return { group: "SETTLED", at: row?.at ?? "", id: `inbox.${row?.id}` };
}

/** What is shown is what is there, to the row: a figure of a wrong number would be worth nothing. */
async function checkCounts(ask: Ask, fill: QueueFill): Promise<void> {
  const counts = await ask<DeliveryCounts>("delivery.counts");
  const groups = await ask<ReasonGroups>("delivery.groups");
  const shown = [
    counts.quarantined.count,
    counts.needsDecision,
    counts.retry.count,
    counts.processed.count,
    groups.total.rows,
    groups.total.groups,
  ];
  const there = [fill.stopped, fill.stopped, fill.waiting, fill.settled, fill.stopped, fill.reasons];
  if (shown.join() !== there.join()) throw new Error(`shown ${shown.join(", ")} instead of ${there.join(", ")}`);
}
