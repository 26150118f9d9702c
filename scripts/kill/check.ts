import { outOfOrder, readWholeLog } from "@/scripts/lib/log-order";
import { checkInvariants } from "@/server/domain/operations/check-invariants";
import { consumersOf } from "@/workers/logical-consumers";
import { type Acknowledged, type Load, send } from "./load";
import type { Stand } from "./stand";

/** What must hold when it is quiet again, whatever was done to the processes. @returns what does not, in words */
export async function checkAfterwards(stand: Stand, load: Load): Promise<string[]> {
  return [
    ...(await nothingLost(stand, load)),
    ...(await sameAnswers(stand, load.acknowledged)),
    ...(await doneOnce(stand)),
    ...(await toldOnce(stand)),
    ...(await recordsHold(stand)),
  ];
}

/** Every caller was answered, and what was acknowledged is there. */
export async function nothingLost(stand: Stand, load: Load): Promise<string[]> {
  return [
    ...load.refused.slice(0, 3).map((text) => `a caller was refused: ${text}`),
    ...(load.open() > 0 ? [`${load.open()} commands were never answered`] : []),
    ...(await everythingThere(stand, load.acknowledged)),
  ];
}

/** The order of the log, and every rule of the records. */
export async function recordsHold(stand: Stand): Promise<string[]> {
  return [
    ...outOfOrder(await readWholeLog(stand.eventLog, "appointment.v1")).slice(0, 3),
    ...(await checkInvariants(stand.worker)).map(({ invariant, offenders, examples }) => {
      const [example] = examples;
      return `${offenders} break "${invariant}", e.g. ${example?.id} ${example?.detail}`;
    }),
  ];
}

/** Every key again: the same status and the same bytes, and marked as a replay. */
export async function sameAnswers({ origin, token }: Stand, acknowledged: Acknowledged[]): Promise<string[]> {
  const found: string[] = [];
  const queue = acknowledged.values();
  const ask = async () => {
    for (const { command, status, text } of queue) {
      const again = (await send(origin, token, command, 60_000)) ?? (await send(origin, token, command, 60_000));
      if (again?.status !== status || again.text !== text || !again.isReplay)
        found.push(`${command.key} answers ${again?.status ?? "nothing"} now, ${status} before`);
    }
  };
  await Promise.all(Array.from({ length: 6 }, ask));
  return found.slice(0, 5);
}

/** Every acknowledged command is there with all its parts; `id` and `version` as the caller was told. */
async function everythingThere({ superuser }: Stand, acknowledged: Acknowledged[]): Promise<string[]> {
  const told = acknowledged.map(({ command, text }) => {
    const { id, version } = JSON.parse(text) as { id: string; version: string };
    return { key: command.key, id, version: String(version) };
  });
  const missing = await superuser.$client<{ key: string }[]>`
    select t.key
    from unnest(${told.map(({ key }) => key)}::text[], ${told.map(({ id }) => id)}::uuid[], ${told.map(({ version }) => version)}::int8[])
      as t (key, id, version)
    left join idempotency_keys k on k.key = t.key
    left join appointment_history h on h.appointment_id = t.id and h.version = t.version and h.command_id = k.command_id
    left join outbox o on o.aggregate_id = t.id and o.aggregate_seq = t.version and o.command_id = k.command_id
    where h.id is null or o.event_id is null`;
  return missing.slice(0, 5).map(({ key }) => `acknowledged and not there: ${key}`);
}

/** Each event ended PROCESSED in each consumer, and nothing was set aside. */
export async function doneOnce({ superuser }: Stand): Promise<string[]> {
  const [row] = await superuser.$client<{ events: string; done: string; quarantined: string; rejected: string }[]>`
    select
      (select count(*) from outbox where state = 'PUBLISHED') as events,
      (select count(*) from inbox where state = 'PROCESSED') as done,
      (select count(*) from inbox where state = 'QUARANTINED') as quarantined,
      (select count(*) from inbox_rejections) as rejected`;
  const expected = Number(row?.events) * consumersOf("appointment.v1").length;
  return [
    ...(Number(row?.done) === expected ? [] : [`${row?.done} of ${expected} events were processed`]),
    ...(Number(row?.quarantined) > 0 ? [`${row?.quarantined} healthy events were quarantined`] : []),
    ...(Number(row?.rejected) > 0 ? [`${row?.rejected} records were rejected`] : []),
  ];
}

/** One message for one change that was sent, none for what was not. */
export async function toldOnce({ superuser }: Stand): Promise<string[]> {
  const rows = await superuser.$client<{ state: string; n: string }[]>`
    select i.state || case i.state when 'UNKNOWN' then ' ' || i.reason_code else '' end
           || case when m.intent_id is null then ' without a message' else ' with its message' end as state, count(*) as n
    from notification_intents i
    left join mailbox_messages m on m.intent_id = i.id
    group by 1`;
  // Whose visit moved on before the message was settled: a second attempt found nothing left to say. What the first one, cut off by a kill, had handed
  // over may have arrived, so it ends UNKNOWN with the reason of the second; the message was still one.
  const isFine =
    /^(SENT with its message|SUPPRESSED (with its|without a) message|UNKNOWN (VISIT_CANCELLED|VISIT_STARTED|SUPERSEDED|AWAITING_NEW_TIME|NOT_CONFIRMED|NOT_CANCELLED) (with its|without a) message)$/;
  return rows.filter(({ state }) => !isFine.test(state)).map(({ state, n }) => `${n} intents are ${state}`);
}
