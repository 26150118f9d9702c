import type postgres from "postgres";
import { importGraphileWorker, importPgBoss } from "@/bench/lib/peers";
import type { Side } from "@/bench/lib/rounds";

const payload = (counter: number) => ({ counter, text: "x".repeat(270) }); // about 290 bytes, as recorded in the peers' own measurements
const addOne = `insert into bench_counters as c (counter, n) values ($1, 1) on conflict (counter) do update set n = c.n + 1`;

/** What neither of them promises, and ours keeps in these figures. */
export const peersPromiseNot =
  "no order per key, no de-duplication by event, no link from job to effect: the effect is a transaction of its own";

/** pg-boss 10.4.2: ten loops of fetch, effects, complete, without its polling pause (500 ms at the least), which would only slow it. */
export async function pgBossSide(
  url: string,
  bare: postgres.Sql,
  amount: number,
  batchSize: number,
): Promise<Side & { stop: () => Promise<void> }> {
  const PgBoss = await importPgBoss();
  const boss = new PgBoss({ connectionString: url, max: 10, supervise: false, schedule: false });
  boss.on("error", () => {});
  await boss.start();
  const queue = `bench-${batchSize}`;
  await boss.createQueue(queue);
  let done = 0;
  const loop = async () => {
    while (done < amount) {
      const jobs = await boss.fetch(queue, { batchSize });
      if (!jobs || jobs.length === 0) return;
      await Promise.all(jobs.map((job) => bare.unsafe(addOne, [job.data.counter], { prepare: true })));
      await boss.complete(queue, jobs.map((job) => job.id)); // biome-ignore format: one line
      done += jobs.length;
    }
  };
  return {
    name: `pg-boss, batches of ${batchSize}`,
    prepare: async () => {
      done = 0;
      for (let from = 0; from < amount; from += 1_000)
        await boss.insert(
          Array.from({ length: Math.min(1_000, amount - from) }, (_, i) => ({ name: queue, data: payload((from + i) % 1_000) })),
        );
      await bare`analyze pgboss.job`;
    },
    run: async () => {
      const began = performance.now();
      await Promise.all(Array.from({ length: 10 }, loop));
      if (done !== amount) throw new Error(`pg-boss did ${done} of ${amount} jobs`);
      return amount / ((performance.now() - began) / 1000);
    },
    stop: () => boss.stop({ graceful: false, wait: false }),
  };
}

/** graphile-worker 0.17.3 as its documentation recommends for throughput: a local queue of 500, 24 jobs at a time, completions in batches. */
export async function graphileSide(url: string, bare: postgres.Sql, amount: number): Promise<Side> {
  const { makeWorkerUtils, run, Logger } = await importGraphileWorker();
  const utils = await makeWorkerUtils({ connectionString: url });
  await utils.migrate();
  await utils.release();
  return {
    name: "graphile-worker, recommended",
    prepare: () => bare`
      select graphile_worker.add_jobs(array(
        select row('add', json_build_object('counter', n % 1000, 'text', ${"x".repeat(270)}::text), null, null, null, null, null, null)::graphile_worker.job_spec
        from generate_series(1, ${amount}::int4) n))`,
    run: async () => {
      let done = 0;
      let finish = () => {};
      const all = new Promise<void>((resolve) => {
        finish = resolve;
      });
      const began = performance.now();
      const runner = await run({
        connectionString: url,
        maxPoolSize: 10,
        noHandleSignals: true,
        logger: new Logger(() => () => {}),
        preset: {
          worker: { concurrentJobs: 24, maxPoolSize: 10, localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 },
        },
        taskList: {
          add: async ({ counter }, helpers) => {
            await helpers.query(addOne, [counter]);
            done += 1;
            if (done === amount) finish();
          },
        },
      });
      await all;
      const took = performance.now() - began;
      await runner.stop();
      return amount / (took / 1000);
    },
  };
}
