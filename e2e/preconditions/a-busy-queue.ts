import { closeDb, openDb, withTx } from "@/db/client";
import { e2eWorld } from "@/db/testing/e2e-world";
import { type SentCommand, writeRows } from "./a-command";

const consumer = "triage-drill-v1";

/** `count` stopped deliveries of a command, each a row that needs a decision. They belong to a consumer of this test only. */
export async function stoppedRows(command: SentCommand, count: number): Promise<void> {
  await writeRows((tx) => insertRows(tx.sql, command, count));
}

export const removeStoppedRows = (): Promise<unknown> =>
  writeRows(async ({ sql }) => {
    await sql`delete from inbox_deliveries where consumer = ${consumer}`;
    await sql`delete from inbox where consumer = ${consumer}`;
  });

type Sql = Parameters<Parameters<typeof writeRows>[0]>[0]["sql"];

const insertRows = (sql: Sql, { commandId }: SentCommand, count: number) => sql`
  insert into inbox (tenant_group_id, clinic_id, consumer, event_id, command_id, event_type, schema_version, aggregate_type, aggregate_id, aggregate_seq,
    content_digest, digest_key_id, log_id, topic, partition, first_offset, last_partition, last_offset, state, attempts, attempts_max, reason_code, quarantined_at)
  select i.tenant_group_id, i.clinic_id, ${consumer}, uuidv7(), i.command_id, i.event_type, i.schema_version, i.aggregate_type, i.aggregate_id, 1,
    i.content_digest, i.digest_key_id, i.log_id, i.topic, i.partition, i.first_offset, i.last_partition, i.last_offset, 'QUARANTINED', 5, 5,
    'ATTEMPTS_EXHAUSTED', clock_timestamp()
  from inbox i
  cross join generate_series(1, ${count}::int)
  where i.command_id = ${commandId} and i.consumer = 'daily-load-v1'`;

/** New stopped rows and changed old ones, `perSecond` times a second, until it is told to stop. Answers how many changes were made. */
export function changingQueue(command: SentCommand, perSecond: number): { stop(): Promise<number> } {
  const db = openDb(e2eWorld().superuserUrl, { max: 1, applicationName: "e2e" });
  let going = true;
  let changes = 0;
  const run = (async () => {
    while (going) {
      await withTx(db, {}, async ({ sql }) => {
        if (changes % 2 === 0) await insertRows(sql, command, 1);
        else
          await sql`
            update inbox set attempts = attempts % 5 + 1, version = version + 1, quarantined_at = clock_timestamp(), updated_at = clock_timestamp()
            where id = (select id from inbox where consumer = ${consumer} order by random() limit 1)`;
      });
      changes += 1;
      await new Promise((resolve) => setTimeout(resolve, 1_000 / perSecond));
    }
  })();
  return {
    stop: async () => {
      going = false;
      await run;
      await closeDb(db);
      return changes;
    },
  };
}
