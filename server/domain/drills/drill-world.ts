import { setTimeout as sleep } from "node:timers/promises";
import { closeDb, type Db, type Tx, withRead } from "@/db/client";
import type { DigestRing } from "@/server/canonical-hash";
import type { Clock } from "@/server/clock";
import { MemoryLog } from "@/server/domain/event-log/memory-log";
import type { LogRecord, NewRecord } from "@/server/domain/event-log/port";
import { processBatch } from "@/server/domain/inbox/process-batch";
import { type ConsumerEvent, done, type InboxRuntime, type LogicalConsumer, type Outcome } from "@/server/domain/inbox/types";
import { DrillEnded, type DrillProgress } from "./drill-progress";
import type { SyntheticScope } from "./synthetic-scope";

export const drillTopic = "appointment.v1";
export const drillConsumerId = "drill-effects";
/** Leases inside a drill: long enough for a busy machine to do its work in, short enough to be waited for. */
export const drillLeaseMs = 4_000;

export type DrillDeps = {
  /** Of the workers: it never sees the synthetic scope. */
  live: Db;
  /** A pool that sees the scope and nothing else. */
  openScopeDb: (scope: SyntheticScope) => Db;
  ring: DigestRing;
  clock: Clock;
  worker: string;
  signal: AbortSignal;
};

/** Where a drill works: a synthetic scope in the tables of the product, and a log of its own in memory. */
export class DrillWorld {
  readonly log: MemoryLog;
  readonly db: Db;
  private readonly opened: Db[] = [];

  constructor(
    readonly scope: SyntheticScope,
    readonly deps: DrillDeps,
    private readonly progress: Pick<DrillProgress, "waited" | "save">,
  ) {
    this.log = new MemoryLog(`drill-${scope.ref}`);
    this.db = this.openDb();
  }

  /** One more pool, for a worker that will be cut off. */
  openDb(): Db {
    const db = this.deps.openScopeDb(this.scope);
    this.opened.push(db);
    return db;
  }

  close = () => Promise.all(this.opened.map((db) => closeDb(db, 1).catch(() => {})));

  runtime = (worker: string, more: Partial<InboxRuntime> = {}): InboxRuntime => ({
    db: this.db,
    worker: `${this.deps.worker}:${worker}`,
    logId: `drill-${this.scope.ref}`,
    ring: this.deps.ring,
    clock: this.deps.clock,
    random: () => 0, // what is to be tried again is due at once
    leaseMs: drillLeaseMs,
    leaseWaitMs: 200,
    ...more,
  });

  control = (signal: AbortSignal = this.deps.signal) => ({ signal, heartbeat: async () => {} });

  publish = (records: NewRecord[]) => this.log.publish(drillTopic, records);

  /** Lets the operating group of the consumer read the log to its end. */
  async consume(consumer: LogicalConsumer, worker = "consumer"): Promise<void> {
    const runtime = this.runtime(worker);
    let fault: unknown;
    const consumption = await this.log.consume(consumer.id, [drillTopic], async (batch, control) => {
      await processBatch(runtime, consumer, batch, control).catch((error: unknown) => {
        fault = error;
        throw error; // the offset stays
      });
    });
    await this.until(async () => fault !== undefined || (await this.offsets()) === this.records().length, 20_000);
    await consumption.stop();
    if (fault !== undefined) throw fault;
  }

  /** Sum of the operating group's offsets. */
  async offsets(): Promise<number> {
    return (await this.log.groupOffsets(drillConsumerId, drillTopic)).reduce((sum, { offset }) => sum + Number(offset), 0);
  }

  records = (): LogRecord[] => this.log.all(drillTopic);

  read = <T>(ask: (tx: Tx) => Promise<T>): Promise<T> => withRead(this.db, { worker: this.deps.worker }, ask);

  /** Asks until it comes true. Throws when it has not after `maxMs`: a bound for what hangs. */
  async until(holds: () => Promise<boolean>, maxMs: number): Promise<void> {
    const { clock } = this.deps;
    const startedMs = clock.monotonicMs();
    let savedMs = startedMs;
    while (!(await holds())) {
      const nowMs = clock.monotonicMs();
      if (nowMs - startedMs > maxMs) throw new Error(`a drill waited ${maxMs} ms in vain`);
      if (nowMs - savedMs > 1_000) {
        await this.progress.save();
        savedMs = nowMs;
      }
      await this.pause(100);
    }
  }

  /** Lets a known time pass, and says how far it is. */
  async wait(ms: number): Promise<void> {
    const { clock } = this.deps;
    const startedMs = clock.monotonicMs();
    for (let passed = 0; passed < ms; passed = clock.monotonicMs() - startedMs) {
      await this.progress.waited(Math.min(passed, ms), ms);
      await this.pause(Math.min(500, ms - passed));
    }
    await this.progress.waited(ms, ms);
  }

  private async pause(ms: number): Promise<void> {
    if (this.deps.signal.aborted) throw new DrillEnded("PROCESS_ENDS");
    await sleep(ms, undefined, { signal: this.deps.signal }).catch(() => {});
  }
}

/** Writes one effect for each event, in a table that would take it twice, and ends as `answer` says. */
export function drillConsumer(answer: (event: ConsumerEvent) => Outcome | Promise<Outcome> = () => done): LogicalConsumer {
  return {
    id: drillConsumerId,
    topics: [drillTopic],
    order: "ordered",
    handle: async (tx, events) => {
      await tx.sql`
        insert into drill_effects (tenant_group_id, clinic_id, consumer, event_id)
        select tenant_group_id, clinic_id, ${drillConsumerId}, event_id
        from unnest(${events.map((event) => event.tenantGroupId)}::uuid[], ${events.map((event) => event.clinicId)}::uuid[],
          ${events.map((event) => event.eventId)}::uuid[]) as e (tenant_group_id, clinic_id, event_id)`;
      const outcomes: Outcome[] = [];
      for (const event of events) outcomes.push(await answer(event));
      return outcomes;
    },
  };
}
