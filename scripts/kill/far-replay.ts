import type { Db } from "@/db/client";
import type { PlanningWorld } from "@/server/domain/planning/testing";
import { approveReplay } from "@/server/domain/replay/approve-replay";
import { previewReplay } from "@/server/domain/replay/preview-replay";
import { groupBy } from "@/server/group-by";
import { newUuid } from "@/server/ids";
import { recoveryMaxMs } from "./scenario";
import type { Stand } from "./stand";
import { type StoppedRow, stoppedConsumer } from "./stop-rows";
import { until } from "./until";

/** Slow enough that a job of some rows takes seconds. */
const bounds = { canarySize: 1, ratePerSecond: 2, maxSeconds: 300, stopSharePercent: 100 };

/** Previews and approves a range that holds exactly these rows, as an operator does. @returns its request id @throws Error when it holds others */
export async function approveRange(stand: Stand, world: PlanningWorld, web: Db, rows: readonly StoppedRow[]): Promise<string> {
  const [clinicId, requestId] = [world.clinic.id, newUuid()];
  const operator = await world.person("APPOINTMENT_REPLAY_OPERATOR");
  const deps = { db: web, eventLog: stand.eventLog, ring: stand.ring };
  const ranges = [...groupBy(rows, ({ partition }) => partition)].map(([partition, of]) => ({
    partition,
    first: (of[0] as StoppedRow).offset,
    last: (of.at(-1) as StoppedRow).offset,
  }));
  const selection = { kind: "range", consumer: stoppedConsumer, recordsMax: 100, ranges } as const;
  const { request } = await previewReplay(deps, operator, { clinicId, requestId, selection });
  if (request?.records !== rows.length) throw new Error(`${request?.records} rows were bound, and not ${rows.length}`);
  const digest = request.manifestDigest;
  await approveReplay(deps, operator, { clinicId, requestId, digest, bounds, reason: "Drill: the table takes them again" });
  return requestId;
}

export const hasEnded = async ({ superuser }: Stand, requestId: string): Promise<boolean> =>
  (await superuser.$client`select 1 from replay_requests where request_id = ${requestId} and ended_at is not null`).length > 0;

/** Runners that had the job, one after another, and rows that one of them held when its lease ran out. */
export type Course = { runners: number; inHand: 0 | 1 };

/**
 * The receipt and what became of the rows: whatever was done to its runner, a replay ended once, its numbers add up to what was asked for, each event had
 * its effect at most once, and no row outside of the manifest was touched. A crash is an attempt, and a replay gives one: what was in hand is quarantined
 * again and counted as such. @returns what differs, in words
 */
export async function wrongWith({ superuser }: Stand, requestId: string, rows: readonly StoppedRow[], course: Course): Promise<string[]> {
  const [row] = await superuser.$client<{ found: string }[]>`
    select concat_ws(', ', r.state, 'fence ' || r.fence, r.records || ' requested',
      r.processed + r.duplicate + r.retryable + r.quarantined + r.skipped + r.not_reached || ' in the receipt',
      r.quarantined || ' quarantined',
      (select count(*) from audit_entries e where e.subject_id = r.request_id and e.act = 'replay.started') || ' started',
      (select count(*) from audit_entries e where e.subject_id = r.request_id and e.act = 'replay.taken-over') || ' taken over',
      (select count(*) from audit_entries e where e.subject_id = r.request_id and e.act = 'replay.ended') || ' ended',
      (select count(*) from replay_items t join inbox i on i.id = t.inbox_id where t.request_id = r.request_id and i.state = 'PROCESSED'
         and (select count(*) from inbox_deliveries d where d.inbox_id = i.id and d.outcome = 'PROCESSED') = 1) || ' processed once',
      (select count(*) from replay_items t join inbox i on i.id = t.inbox_id join daily_load_visits v on v.appointment_id = i.aggregate_id
         where t.request_id = r.request_id) || ' counted',
      (select count(*) from inbox_deliveries d where d.replay_request_id = r.request_id
         and d.inbox_id not in (select t.inbox_id from replay_items t where t.request_id = r.request_id)) || ' outside') as found
    from replay_requests r
    where r.request_id = ${requestId}`;
  const { runners, inHand } = course;
  const [n, done] = [rows.length, rows.length - inHand];
  const end = `${inHand > 0 ? "NEEDS_ACTION" : "COMPLETED"}, fence ${runners}, ${n} requested, ${n} in the receipt, ${inHand} quarantined`;
  const wanted = `${end}, 1 started, ${runners - 1} taken over, 1 ended, ${done} processed once, ${done} counted, 0 outside`;
  return row?.found === wanted ? [] : [`${row?.found}; it should be ${wanted}`];
}

/** Replays what is still quarantined of these rows, as an operator does who has read the receipt. @returns what is wrong afterwards, in words */
export async function replayRest(stand: Stand, world: PlanningWorld, web: Db, rows: readonly StoppedRow[]): Promise<string[]> {
  const left = await stand.superuser.$client<{ id: string }[]>`
    select id from inbox where id = any (${rows.map(({ id }) => id)}::uuid[]) and state = 'QUARANTINED'`;
  const rest = rows.filter((row) => left.some(({ id }) => id === row.id));
  if (rest.length === 0) return [];
  const requestId = await approveRange(stand, world, web, rest);
  await until(() => hasEnded(stand, requestId), recoveryMaxMs);
  return wrongWith(stand, requestId, rest, { runners: 1, inHand: 0 });
}

/** These rows as they stand, for a comparison with later. */
export async function rowsNow({ superuser }: Stand, rows: readonly StoppedRow[]): Promise<string> {
  const [row] = await superuser.$client<{ kept: string }[]>`
    select string_agg(i::text, ' ' order by i.id) as kept from inbox i where i.id = any (${rows.map(({ id }) => id)}::uuid[])`;
  return row?.kept ?? "";
}
