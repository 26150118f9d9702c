// For tests: a clinic with operators, stopped events of its appointments in a log, and the acts of a replay as an operator makes them.
import type { Row } from "postgres";
import type { Db } from "@/db/client";
import { systemClock } from "@/server/clock";
import { MemoryLog } from "@/server/domain/event-log/memory-log";
import type { EventLog } from "@/server/domain/event-log/port";
import { processBatch } from "@/server/domain/inbox/process-batch";
import { effectConsumer, insertTestScope, sampleRecord, type TestScope, testControl, testRing } from "@/server/domain/inbox/testing";
import { done, type InboxRuntime, type LogicalConsumer, quarantine } from "@/server/domain/inbox/types";
import type { Role } from "@/server/domain/scope/actor";
import { loadActor, type SignedInPerson } from "@/server/domain/scope/load-actor";
import { newRef, newUuid } from "@/server/ids";
import { type ApproveInput, approveReplay } from "./approve-replay";
import { previewReplay } from "./preview-replay";
import { type ReplayRun, type RunOptions, runReplayOnce } from "./run-replay-once";
import type { ReplayBounds, ReplaySelection } from "./types";

type Handles = { web: Db; worker: Db; superuser: Db };
export const testReason = "Release 4.2 accepts schema v4";
export const wideBounds: ReplayBounds = { canarySize: 1, ratePerSecond: 50, maxSeconds: 300, stopSharePercent: 100 };

export class ReplayWorld {
  private constructor(
    readonly db: Handles,
    readonly scope: TestScope,
    readonly log: EventLog,
    readonly logId: string,
  ) {}

  static async open(db: Handles, log: EventLog = new MemoryLog()): Promise<ReplayWorld> {
    return new ReplayWorld(db, await insertTestScope(db.superuser), log, await log.logId());
  }

  /** Another clinic, or with `tenantGroupId` one of the same tenant group, over the same log. */
  async beside(scope: TestScope): Promise<ReplayWorld> {
    return new ReplayWorld(this.db, scope, this.log, this.logId);
  }

  get deps() {
    return { db: this.db.web, eventLog: this.log, ring: testRing };
  }

  runtime = (more: Partial<InboxRuntime> = {}): InboxRuntime => ({
    db: this.db.worker,
    worker: "runner-a",
    logId: this.logId,
    ring: testRing,
    clock: systemClock,
    random: () => 0,
    leaseWaitMs: 100,
    ...more,
  });

  /** A person with these roles in the clinic, as the session would load him. */
  async person(roles: Role[] = ["APPOINTMENT_REPLAY_OPERATOR", "STAFF"]): Promise<SignedInPerson> {
    const userId = newUuid();
    const { tenantGroupId, clinicId } = this.scope;
    const sql = this.db.superuser.$client;
    await sql`
      insert into users (id, tenant_group_id, ref, email, name, password_hash)
      values (${userId}, ${tenantGroupId}, ${newRef("ST")}, ${`${userId}@clinic.invalid`}, 'Person', 'x')`;
    for (const role of roles)
      await sql`insert into user_roles (tenant_group_id, user_id, role, clinic_id) values (${tenantGroupId}, ${userId}, ${role}, ${clinicId})`;
    return (await loadActor(this.db.web, { tenantGroupId, userId })) as SignedInPerson;
  }

  takeRole = (person: SignedInPerson) =>
    this.db.superuser.$client`delete from user_roles where user_id = ${person.userId} and role = 'APPOINTMENT_REPLAY_OPERATOR'`;

  /** Publishes events of new appointments and lets the consumer stop each of them. Answers the inbox rows in the order of the log. */
  async stopped(count: number, reason = "UNSUPPORTED_SCHEMA", consumerId = "test-effects-v1"): Promise<StoppedRow[]> {
    const records = Array.from({ length: count }, () => sampleRecord(this.scope, newUuid(), 1));
    const positions = await this.log.publish("appointment.v1", records);
    const consumer = effectConsumer(() => quarantine(reason as "GAP"), { id: consumerId });
    const control = testControl();
    const read = [];
    for (const { partition, offset } of positions) {
      const found = await this.log.readAt("appointment.v1", partition, [offset], { deadlineMs: 10_000 });
      read.push(found.get(offset) as Exclude<ReturnType<typeof found.get>, "EXPIRED" | undefined>);
    }
    await processBatch(this.runtime({ worker: "consumer-a" }), consumer, read, control);
    return await this.db.superuser.$client<StoppedRow[]>`
      select id, event_id as "eventId", version, state, partition, first_offset as "offset", aggregate_id as "aggregateId"
      from inbox
      where consumer = ${consumerId} and event_id = any (${records.map((record) => record.headers.ce_id as string)}::uuid[])
      order by partition, first_offset`;
  }

  select = (row: StoppedRow, consumer = "test-effects-v1"): ReplaySelection => ({
    kind: "row",
    consumer,
    inboxId: row.id,
    rowVersion: row.version,
  });
  group = (reasonCode = "UNSUPPORTED_SCHEMA", recordsMax = 10_000): ReplaySelection => ({
    kind: "group",
    consumer: "test-effects-v1",
    reasonCode,
    recordsMax,
  });

  preview = (actor: SignedInPerson, selection: ReplaySelection, requestId = newUuid()) =>
    previewReplay(this.deps, actor, { clinicId: this.scope.clinicId, requestId, selection });

  /** Previews and approves; answers the request as it was approved. */
  async approved(actor: SignedInPerson, selection: ReplaySelection, more: Partial<ApproveInput> = {}) {
    const { request } = await this.preview(actor, selection, more.requestId);
    if (!request) throw new Error("nothing was bound");
    return (await this.approve(actor, request, more)).request;
  }

  approve = (actor: SignedInPerson, request: { requestId: string; manifestDigest: string }, more: Partial<ApproveInput> = {}) =>
    approveReplay(this.deps, actor, {
      clinicId: this.scope.clinicId,
      requestId: request.requestId,
      digest: request.manifestDigest,
      bounds: wideBounds,
      reason: testReason,
      ...more,
    });

  run = (
    consumer: LogicalConsumer = effectConsumer(() => done),
    more: { runtime?: Partial<InboxRuntime>; options?: RunOptions; signal?: AbortSignal } = {},
  ): Promise<ReplayRun> =>
    runReplayOnce(this.runtime(more.runtime), this.log, [consumer], testControl(more.signal), { sleep: async () => {}, ...more.options });

  /** As if a dead runner's leases had run out. */
  async expireLeases() {
    const sql = this.db.superuser.$client;
    await sql`update replay_requests set lease_until = lease_until - interval '1 hour' where state = 'RUNNING'`;
    await sql`update inbox set lease_until = lease_until - interval '1 hour' where state = 'PROCESSING'`;
  }

  request = async (requestId: string) =>
    (await this.db.superuser.$client`select * from replay_requests where request_id = ${requestId}`)[0] as Row;
  items = (requestId: string) => this.db.superuser.$client`select * from replay_items where request_id = ${requestId} order by position`;
  row = async (id: string) => (await this.db.superuser.$client`select * from inbox where id = ${id}`)[0] as Row;
  effects = async (eventId: string): Promise<number> =>
    (await this.db.superuser.$client`select count(*)::int4 as n from test_effects where event_id = ${eventId}`)[0]?.n;
  acts = async (requestId: string): Promise<string[]> =>
    (await this.db.superuser.$client`select act, result from audit_entries where subject_id = ${requestId} order by at, id`).map(
      (entry) => `${entry.act} ${entry.result}`,
    );
}

export type StoppedRow = {
  id: string;
  eventId: string;
  version: string;
  state: string;
  partition: number;
  offset: string;
  aggregateId: string;
};
