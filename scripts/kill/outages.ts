import { setTimeout as sleep } from "node:timers/promises";
import type { Drill, Harm, Scenario } from "./scenario";

async function stopPostgres({ stand, isSample, recovery }: Drill): Promise<Harm> {
  const outageMs = isSample ? 3_000 : 10_000;
  await sleep(1_500);
  await stand.stopPostgres();
  await sleep(outageMs);
  await stand.startPostgres();
  return { what: `stopped at once, away for ${outageMs / 1000} s`, recoveriesMs: [await recovery()] };
}

/** An outage says nothing about an event: none of them may lose an attempt by it. */
async function stopKafka({ stand, load, isSample, recovery }: Drill): Promise<Harm> {
  const outageMs = isSample ? 12_000 : 60_000;
  await sleep(2_000);
  await stand.stopKafka();
  await sleep(outageMs);
  const accepted = load.acknowledged.length;
  await stand.startKafka();
  const recoveriesMs = [await recovery()];
  const [row] = await stand.superuser.$client`
    select (select count(*)::int from inbox where attempts > 1) as attempts, (select count(*)::int from outbox where attempts > 0) as refused`;
  return {
    what: `away for ${outageMs / 1000} s, ${accepted} commands accepted by its end`,
    recoveriesMs,
    faults:
      row?.attempts + row?.refused > 0 ? [`the outage was counted against ${row?.attempts} inbox rows and ${row?.refused} entries`] : [],
  };
}

export const outageScenarios: Scenario[] = [
  { name: "PostgreSQL stopped and started", log: "postgres", run: stopPostgres },
  { name: "Kafka stopped and started", log: "kafka", run: stopKafka },
];
