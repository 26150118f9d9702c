import { type Db, withRead } from "@/db/client";
import { lastLine } from "@/scripts/lib/counts";

/** What the records say about one command. */
export type Counted = {
  calls: { outcome: string; count: number }[];
  visits: number;
  changes: number;
  events: { published: number; all: number };
  consumers: { consumer: string; processed: number; duplicate: number; state: string }[];
  intents: { state: string; count: number }[];
  sent: number;
};

export function countRecords(db: Db, commandId: string): Promise<Counted> {
  return withRead(db, { worker: "smoke" }, async (tx) => {
    const calls = await tx.sql<Counted["calls"]>`
      select outcome, count(*)::int as count from command_calls where command_id = ${commandId} group by outcome order by min(called_at)`;
    const [changed] = await tx.sql<{ visits: number; changes: number }[]>`
      select count(distinct appointment_id)::int as visits, count(*)::int as changes from appointment_history where command_id = ${commandId}`;
    const [events] = await tx.sql<Counted["events"][]>`
      select (count(*) filter (where state = 'PUBLISHED'))::int as published, count(*)::int as all from outbox where command_id = ${commandId}`;
    const consumers = await tx.sql<Counted["consumers"]>`
      select i.consumer, i.state, (count(*) filter (where d.outcome = 'PROCESSED'))::int as processed,
             (count(*) filter (where d.outcome = 'DUPLICATE'))::int as duplicate
      from inbox i
      left join inbox_deliveries d on d.inbox_id = i.id
      where i.command_id = ${commandId}
      group by i.consumer, i.state
      order by i.consumer`;
    const intents = await tx.sql<Counted["intents"]>`
      select state, count(*)::int as count from notification_intents where command_id = ${commandId} group by state`;
    const [sent] = await tx.sql<{ count: number }[]>`
      select count(*)::int as count from notification_deliveries where command_id = ${commandId} and outcome = 'SENT'`;
    return {
      calls: [...calls],
      visits: changed?.visits ?? 0,
      changes: changed?.changes ?? 0,
      events: events ?? { published: 0, all: 0 },
      consumers: [...consumers],
      intents: [...intents],
      sent: sent?.count ?? 0,
    };
  });
}

const CONSUMERS = ["daily-load-v1", "reminder-planner-v1"];

/** Everything that is asked of the records for "called three times, changed once, told once", with what they say. */
function questions(counted: Counted): { what: string; have: number; want: number }[] {
  const called = (outcome: string) => counted.calls.find((call) => call.outcome === outcome)?.count ?? 0;
  const processed = (consumer: string) =>
    counted.consumers.find((row) => row.consumer === consumer && row.state === "PROCESSED")?.processed ?? 0;
  const sent = counted.intents.find(({ state }) => state === "SENT")?.count ?? 0;
  const wanted: [string, number, number][] = [
    ["first calls", called("FIRST"), 1],
    ["repeated calls", called("REPLAYED"), 1],
    ["refused calls with another body", called("REUSED"), 1],
    ["changed visits", counted.visits, 1],
    ["changes", counted.changes, 1],
    ["events", counted.events.all, 1],
    ["published events", counted.events.published, 1],
    ...CONSUMERS.map((consumer): [string, number, number] => [`effects of ${consumer}`, processed(consumer), 1]),
    ["sent notifications", sent, 1],
    ["deliveries to the provider", counted.sent, 1],
  ];
  return wanted.map(([what, have, want]) => ({ what, have, want }));
}

/** What is missing, or too much; empty when all is there. */
export function whatIsMissing(counted: Counted): string[] {
  return questions(counted)
    .filter(({ have, want }) => have !== want)
    .map(({ what, have, want }) => `${what}: ${have} instead of ${want}`);
}

/**
 * The end of a smoke run.
 * @param killed names of the processes that did not end when asked; an orderly end is one more thing that was promised
 */
export function verdict(counted: Counted, killed: string[]): { lines: string[]; exitCode: 0 | 1 } {
  const missing = [...whatIsMissing(counted), ...(killed.length > 0 ? [`an orderly end: ${killed.join(" and ")} had to be killed`] : [])];
  const asked = questions(counted).length + 1;
  const lines = [
    ...missing.map((line) => `  missing: ${line}`),
    missing.length === 0 ? "\nsmoke: one command, one change, one message" : "\nsmoke: not what was promised",
    lastLine({ passed: asked - missing.length, failed: missing.length, skipped: 0 }),
  ];
  return { lines, exitCode: missing.length === 0 ? 0 : 1 };
}
