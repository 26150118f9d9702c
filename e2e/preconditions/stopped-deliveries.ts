import { randomUUID } from "node:crypto";
import { type SentCommand, writeRows } from "./a-command";

export type Stopped = { consumer: string; ids: string[] };
type Wish = { count?: number; state?: "QUARANTINED" | "RETRYABLE" | "PROCESSING"; reason?: string };

/** Deliveries of a command as a consumer of this test alone left them: stopped, waiting or held by a worker. */
export async function stoppedDeliveries(
  command: SentCommand,
  { count = 1, state = "QUARANTINED", reason = "ATTEMPTS_EXHAUSTED" }: Wish = {},
): Promise<Stopped> {
  const consumer = `triage-${randomUUID().slice(0, 8)}-v1`;
  const rows = await writeRows(
    ({ sql }) => sql<{ id: string }[]>`
      insert into inbox (tenant_group_id, clinic_id, consumer, event_id, command_id, event_type, schema_version, aggregate_type, aggregate_id,
        aggregate_seq, content_digest, digest_key_id, log_id, topic, partition, first_offset, last_partition, last_offset, state, attempts, attempts_max,
        reason_code, quarantined_at, next_attempt_at, lease_owner, lease_until)
      select i.tenant_group_id, i.clinic_id, ${consumer}, uuidv7(), i.command_id, i.event_type, i.schema_version, i.aggregate_type, i.aggregate_id, n,
        i.content_digest, i.digest_key_id, i.log_id, i.topic, i.partition, i.first_offset, i.last_partition, i.last_offset, ${state}, 3, 5,
        case when ${state} = 'PROCESSING' then null else ${reason} end,
        case when ${state} = 'QUARANTINED' then clock_timestamp() - n * interval '1 minute' end,
        case when ${state} = 'RETRYABLE' then clock_timestamp() + interval '2 hours' end,
        case when ${state} = 'PROCESSING' then 'worker-of-the-test' end,
        case when ${state} = 'PROCESSING' then clock_timestamp() + interval '10 minutes' end
      from inbox i
      cross join generate_series(1, ${count}::int) n
      where i.command_id = ${command.commandId} and i.consumer = 'daily-load-v1'
      order by n
      returning id`,
  );
  return { consumer, ids: rows.map((row) => row.id) };
}

export const removeDeliveries = (...all: Stopped[]): Promise<unknown> =>
  writeRows(({ sql }) => sql`delete from inbox where consumer = any (${all.map(({ consumer }) => consumer)}::text[])`);

/** What a consumer found out meanwhile: another reason, and with it another version of the row. */
export const changeEvidence = (id: string, reason: string): Promise<unknown> =>
  writeRows(
    ({ sql }) => sql`update inbox set reason_code = ${reason}, version = version + 1, updated_at = clock_timestamp() where id = ${id}`,
  );

/** A later event of the same appointment that waits behind the stopped row. Answers its id. */
export async function rowBehind(stopped: Stopped): Promise<string> {
  const [row] = await writeRows(
    ({ sql }) => sql<{ id: string }[]>`
      insert into inbox (tenant_group_id, clinic_id, consumer, event_id, command_id, event_type, schema_version, aggregate_type, aggregate_id,
        aggregate_seq, content_digest, digest_key_id, log_id, topic, partition, first_offset, last_partition, last_offset, state, attempts, attempts_max,
        reason_code, blocked_by)
      select tenant_group_id, clinic_id, consumer, uuidv7(), command_id, event_type, schema_version, aggregate_type, aggregate_id, aggregate_seq + 1,
        content_digest, digest_key_id, log_id, topic, partition, first_offset, last_partition, last_offset, 'RETRYABLE', 0, 5, 'BLOCKED_BY', id
      from inbox where id = ${stopped.ids[0] as string}
      returning id`,
  );
  return row?.id as string;
}

/** An event that could not be published: the head of a key of its own. Answers its id; `removeHead` takes it away again. */
export async function poisonHead({ commandId }: SentCommand): Promise<string> {
  const [row] = await writeRows(
    ({ sql }) => sql<{ event_id: string }[]>`
      insert into outbox (tenant_group_id, clinic_id, command_id, topic, partition_key, aggregate_type, aggregate_id, aggregate_seq, type, schema_version,
        payload, state, attempts, reason_code)
      select tenant_group_id, clinic_id, uuidv7(), topic, partition_key, 'appointment-of-the-test', uuidv7(), 1, type, schema_version, '{}', 'FAILED', 3,
        'INVALID_PAYLOAD'
      from outbox where command_id = ${commandId} limit 1
      returning event_id`,
  );
  return row?.event_id as string;
}
export const removeHead = (id: string): Promise<unknown> => writeRows(({ sql }) => sql`delete from outbox where event_id = ${id}`);
