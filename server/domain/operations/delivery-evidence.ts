import type { Tx } from "@/db/client";
import type { OperationsScope, QueueState, RowKind } from "./types";

export type Attempt = {
  at: string;
  attempt: number | null;
  outcome: "PROCESSED" | "DUPLICATE" | "RETRYABLE" | "QUARANTINED" | "FENCED";
  reasonCode: string | null;
  durationMs: number;
  worker: string;
  partition: number;
  offset: string;
};
export type Call = {
  at: string;
  outcome: "FIRST" | "REPLAYED" | "REUSED" | "IN_PROGRESS" | "OVERLOADED";
  status: number;
  actorKind: string;
  requestId: string;
  durationMs: number;
};
/** An act of a person, client or worker on this command or row, as the audit wrote it down: short reference and the role held then. */
export type Touch = { at: string; actorKind: string; actorRef: string; actorRole: string | null; act: string; result: string };
export type NotificationEvidence = { kind: string; state: string; attempts: number; reasonCode: string | null; at: string };

/** Everything stored about one row of the queue: references, digests, positions and counts; no name and no payload. */
export type DeliveryEvidence = {
  id: string;
  kind: RowKind;
  state: QueueState;
  reasonCode: string | null;
  scope: { tenantGroupRef: string; clinicRef: string; clinicName: string; zone: string };
  appointment: { ref: string; version: string; status: string } | null;
  event: { id: string; type: string; schemaVersion: number; sequence: string } | null;
  commandId: string | null;
  operation: string | null;
  consumer: string | null;
  position: { logId: string; topic: string; partition: number; firstOffset: string; lastPartition: number; lastOffset: string } | null;
  digest: { value: string; keyId: string } | null;
  fingerprint: { value: string; version: number; keyId: string } | null;
  /** Id of the last approved request that names the row; null while nobody approved one. */
  replayRequestId: string | null;
  attempts: number | null;
  attemptsMax: number | null;
  rowVersion: string | null;
  fence: string | null;
  leaseOwner: string | null;
  leaseUntil: string | null;
  nextAttemptAt: string | null;
  stoppedAt: string | null;
  blockedBy: string | null;
  changes: { version: string; change: string; at: string; source: string }[];
  /** `leftAt`: when its row left the outbox after its retention; null while it is there. */
  publication: { state: string; attempts: number; occurredAt: string; publishedAt: string | null; leftAt: string | null } | null;
  deliveries: Attempt[];
  calls: Call[];
  notifications: NotificationEvidence[];
  touched: Touch[];
  asOf: string;
};

/** Evidence of one row, or null when it is not in the reader's clinics (or is gone). Read again before every act. Six statements. */
export async function deliveryEvidence(tx: Tx, scope: OperationsScope, kind: RowKind, id: string): Promise<DeliveryEvidence | null> {
  const base = await readBase(tx, scope, kind, id);
  if (!base) return null;
  const command = base.command_id;
  const deliveries = base.inbox_id
    ? await tx.sql<Attempt[]>`
        select started_at as at, attempt, outcome, reason_code as "reasonCode", duration_ms as "durationMs", worker, partition, "offset"
        from inbox_deliveries
        where inbox_id = ${base.inbox_id}
        order by at, id
        limit 100`
    : [];
  const calls = await tx.sql<Call[]>`
    select called_at as at, outcome, status::int as status, actor_kind as "actorKind", request_id as "requestId", duration_ms as "durationMs"
    from command_calls
    where command_id = ${command} and tenant_group_id = ${scope.tenantGroupId}
    order by called_at, id
    limit 100`;
  const changes = await tx.sql<DeliveryEvidence["changes"]>`
    select version, change, at, source
    from appointment_history
    where command_id = ${command} and tenant_group_id = ${scope.tenantGroupId}
    order by version`;
  const notifications = await tx.sql<NotificationEvidence[]>`
    select kind, state, attempts, reason_code as "reasonCode", coalesce(settled_at, next_attempt_at) as at
    from notification_intents
    where command_id = ${command} and tenant_group_id = ${scope.tenantGroupId}
    order by created_at, id`;
  const touched = await tx.sql<Touch[]>`
    select at, actor_kind as "actorKind", actor_ref as "actorRef", actor_role as "actorRole", act, result
    from audit_entries
    where (command_id = ${command} or subject_id = ${id}) and tenant_group_id = ${scope.tenantGroupId}
    order by at, id
    limit 100`;
  return toEvidence(kind, id, base, {
    deliveries: [...deliveries],
    calls: [...calls],
    changes: [...changes],
    notifications: [...notifications],
    touched: [...touched],
  });
}

type Base = {
  inbox_id: string | null;
  row_state: string;
  reason_code: string | null;
  tenant_ref: string;
  clinic_ref: string;
  clinic_name: string;
  zone: string;
  appointment_ref: string | null;
  appointment_version: string | null;
  appointment_status: string | null;
  event_id: string | null;
  event_type: string | null;
  schema_version: number | null;
  sequence: string | null;
  command_id: string | null;
  operation: string | null;
  consumer: string | null;
  log_id: string | null;
  topic: string | null;
  partition: number | null;
  first_offset: string | null;
  last_partition: number | null;
  last_offset: string | null;
  content_digest: string | null;
  digest_key_id: string | null;
  fingerprint: string | null;
  fingerprint_version: number | null;
  fingerprint_key_id: string | null;
  attempts: number | null;
  attempts_max: number | null;
  row_version: string | null;
  fence: string | null;
  lease_owner: string | null;
  lease_until: string | null;
  next_attempt_at: string | null;
  quarantined_at: string | null;
  blocked_by: string | null;
  replay_request_id: string | null;
  publication_state: string | null;
  publication_attempts: number | null;
  occurred_at: string | null;
  published_at: string | null;
  left_at: string | null;
  as_of: string;
};

async function readBase(tx: Tx, scope: OperationsScope, kind: RowKind, id: string): Promise<Base | undefined> {
  const [base] = await tx.sql<Base[]>`
    select
      i.id as inbox_id,
      case ${kind} when 'delivery' then 'DUPLICATE' when 'command' then 'DUPLICATE' when 'outbox' then 'PUBLISH_FAILED' else i.state end as row_state,
      case ${kind} when 'inbox' then i.reason_code when 'outbox' then o.reason_code end as reason_code,
      g.ref as tenant_ref, c.ref as clinic_ref, c.name as clinic_name, c.zone,
      a.ref as appointment_ref, a.version as appointment_version, a.status as appointment_status,
      coalesce(i.event_id, o.event_id) as event_id, coalesce(i.event_type, o.type) as event_type,
      coalesce(i.schema_version, o.schema_version) as schema_version, coalesce(i.aggregate_seq, o.aggregate_seq) as sequence,
      named.command_id, k.operation, i.consumer,
      coalesce(i.log_id, o.log_id) as log_id, coalesce(i.topic, o.topic) as topic, coalesce(i.partition, o.log_partition) as partition,
      coalesce(i.first_offset, o.log_offset) as first_offset, coalesce(i.last_partition, o.log_partition) as last_partition,
      coalesce(i.last_offset, o.log_offset) as last_offset,
      i.content_digest, i.digest_key_id, k.fingerprint, k.fingerprint_version, k.fingerprint_key_id,
      coalesce(i.attempts, o.attempts) as attempts, i.attempts_max, i.version as row_version, coalesce(i.fence, o.fence) as fence,
      i.lease_owner, i.lease_until, i.next_attempt_at, i.quarantined_at, i.blocked_by,
      (select r.request_id from replay_items t join replay_requests r on r.request_id = t.request_id
        where t.inbox_id = i.id and r.job_ref is not null order by r.approved_at desc limit 1) as replay_request_id,
      o.state as publication_state, o.attempts as publication_attempts, o.occurred_at, o.published_at, o.left_at,
      clock_timestamp() as as_of
    from (select ${id}::uuid as id) asked
    left join inbox_deliveries d on ${kind} = 'delivery' and d.id = asked.id
    left join inbox i on ${kind} in ('inbox', 'delivery') and i.id = case when d.id is not null then d.inbox_id else asked.id end
    left join outbox failed on ${kind} = 'outbox' and failed.event_id = asked.id
    cross join lateral (
      select
        case ${kind} when 'outbox' then failed.command_id when 'command' then asked.id else i.command_id end as command_id,
        case ${kind} when 'outbox' then failed.event_id else i.event_id end as event_id) named
    left join lateral (
      (select * from announced_events e where e.event_id = named.event_id)
      union all
      (select * from announced_events e where ${kind} = 'command' and e.command_id = asked.id order by e.aggregate_seq limit 1)
      limit 1) o on true
    left join lateral (select * from idempotency_keys y where y.command_id = named.command_id limit 1) k on true
    left join lateral (select clinic_id from command_calls m where ${kind} = 'command' and m.command_id = asked.id limit 1) called on true
    join clinics c on c.id = case
      when i.id is not null then i.clinic_id when o.event_id is not null then o.clinic_id when k.command_id is not null then k.clinic_id
      else called.clinic_id end
    join tenant_groups g on g.id = c.tenant_group_id
    left join appointments a on a.id = case
      when i.id is not null then i.aggregate_id when o.event_id is not null then o.aggregate_id else k.appointment_id end
    where c.tenant_group_id = ${scope.tenantGroupId} and c.id = any (${[...scope.clinicIds]}::uuid[])`;
  return base;
}

type Records = Pick<DeliveryEvidence, "deliveries" | "calls" | "changes" | "notifications" | "touched">;

function toEvidence(kind: RowKind, id: string, base: Base, records: Records): DeliveryEvidence {
  return {
    id: `${kind}.${id}`,
    kind,
    state: (base.reason_code === "BLOCKED_BY" ? "BLOCKED_BY" : base.row_state) as QueueState,
    reasonCode: base.reason_code,
    scope: { tenantGroupRef: base.tenant_ref, clinicRef: base.clinic_ref, clinicName: base.clinic_name, zone: base.zone },
    appointment: base.appointment_ref
      ? { ref: base.appointment_ref, version: base.appointment_version ?? "", status: base.appointment_status ?? "" }
      : null,
    event: base.event_id
      ? { id: base.event_id, type: base.event_type ?? "", schemaVersion: base.schema_version ?? 0, sequence: base.sequence ?? "" }
      : null,
    commandId: base.command_id,
    operation: base.operation,
    consumer: base.consumer,
    position:
      base.log_id !== null && base.topic !== null && base.partition !== null && base.first_offset !== null
        ? {
            logId: base.log_id,
            topic: base.topic,
            partition: base.partition,
            firstOffset: base.first_offset,
            lastPartition: base.last_partition ?? base.partition,
            lastOffset: base.last_offset ?? base.first_offset,
          }
        : null,
    digest: base.content_digest && base.digest_key_id ? { value: base.content_digest, keyId: base.digest_key_id } : null,
    fingerprint:
      base.fingerprint && base.fingerprint_key_id
        ? { value: base.fingerprint, version: base.fingerprint_version ?? 0, keyId: base.fingerprint_key_id }
        : null,
    replayRequestId: base.replay_request_id,
    attempts: base.attempts,
    attemptsMax: base.attempts_max,
    rowVersion: base.row_version,
    fence: base.fence,
    leaseOwner: base.lease_owner,
    leaseUntil: base.lease_until,
    nextAttemptAt: base.next_attempt_at,
    stoppedAt: base.quarantined_at,
    blockedBy: base.blocked_by,
    publication: base.publication_state
      ? {
          state: base.publication_state,
          attempts: base.publication_attempts ?? 0,
          occurredAt: base.occurred_at ?? "",
          publishedAt: base.published_at,
          leftAt: base.left_at,
        }
      : null,
    ...records,
    asOf: base.as_of,
  };
}
