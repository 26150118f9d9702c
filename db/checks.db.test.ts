import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "./testing/test-database";
import { databaseError } from "./tx-error";

// What a state means in columns, asked of the tables themselves: each row below is right, and each change of it is one that no row may have.

let db: TestDatabase;
const id = "01900000-0000-7000-8000-000000000001";
const scope = { tenant_group_id: id, clinic_id: id };
const soon = "2027-02-09T10:00:00Z";

beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.close());

type Row = Record<string, unknown>;
type Broken = [constraint: string, change: Row];

const event = {
  command_id: id,
  topic: "appointment.v1",
  aggregate_type: "appointment",
  aggregate_id: id,
  aggregate_seq: 1,
  schema_version: 1,
};
const place = { log_id: "log", partition: 1 };
const lease = { lease_owner: "worker-1", lease_until: soon };

const approval = {
  job_ref: "RJ-000001",
  approver_id: id,
  approver_ref: "ST-000001",
  approved_at: soon,
  approved_digest: "manifest",
  approval_expires_at: soon,
  reason: "a fix",
  max_seconds: 60,
  rate_per_second: 1,
  canary_size: 1,
  stop_share_percent: 0,
};
const second = { second_approver_id: "01900000-0000-7000-8000-000000000002", second_approver_ref: "ST-000002", second_approved_at: soon };
const receipt = { processed: 2, duplicate: 0, retryable: 0, quarantined: 0, skipped: 0, not_reached: 0 };

const tables: [table: string, right: Row, broken: Broken[]][] = [
  [
    "outbox",
    { ...scope, ...event, partition_key: "key", type: "AppointmentCreated", payload: "{}" },
    [
      ["outbox_state", { state: "SENT" }],
      ["outbox_lease", { state: "CLAIMED" }],
      ["outbox_lease", { state: "CLAIMED", lease_until: soon }],
      ["outbox_lease", lease],
      ["outbox_published", { state: "PUBLISHED" }],
      ["outbox_published", { log_offset: 1, log_id: "log", log_partition: 1 }],
      ["outbox_reason", { state: "FAILED" }],
      ["outbox_reason", { state: "SKIPPED" }],
    ],
  ],
  [
    "inbox",
    {
      ...scope,
      ...event,
      ...place,
      consumer: "daily-load-v1",
      event_id: id,
      event_type: "AppointmentCreated",
      content_digest: "digest",
      digest_key_id: "k1",
      first_offset: 1,
      last_partition: 1,
      last_offset: 1,
      attempts_max: 5,
      state: "RETRYABLE",
      reason_code: "FAILED",
      next_attempt_at: soon,
    },
    [
      ["inbox_state", { state: "DUPLICATE", next_attempt_at: null }],
      ["inbox_lease", { state: "PROCESSING", next_attempt_at: null }],
      ["inbox_lease", lease],
      ["inbox_processed", { state: "PROCESSED", next_attempt_at: null }],
      ["inbox_processed", { state: "PROCESSED", next_attempt_at: null, processed_at: soon }],
      ["inbox_effect", { state: "PROCESSED", next_attempt_at: null, processed_at: soon, effect: "DONE" }],
      ["inbox_effect", { state: "PROCESSED", next_attempt_at: null, processed_at: soon, effect: "NO_EFFECT", reason_code: null }],
      ["inbox_quarantined", { state: "QUARANTINED", next_attempt_at: null }],
      ["inbox_retryable", { next_attempt_at: null }],
      ["inbox_retryable", { reason_code: "BLOCKED_BY" }],
      ["inbox_retryable", { blocked_by: id }],
      ["inbox_reason", { reason_code: null }],
    ],
  ],
  [
    "inbox_deliveries",
    {
      ...scope,
      ...place,
      inbox_id: id,
      consumer: "daily-load-v1",
      event_id: id,
      outcome: "PROCESSED",
      offset: 1,
      worker: "worker-1",
      started_at: soon,
      duration_ms: 1,
    },
    [
      ["inbox_deliveries_outcome", { outcome: "PROCESSING" }],
      ["inbox_deliveries_reason", { outcome: "RETRYABLE" }],
      ["inbox_deliveries_reason", { outcome: "QUARANTINED" }],
    ],
  ],
  [
    "notification_intents",
    { ...scope, command_id: id, appointment_id: id, appointment_version: 1, patient_id: id, kind: "BOOKED" },
    [
      ["notification_intents_state", { state: "DONE" }],
      ["notification_intents_kind", { kind: "OTHER" }],
      ["notification_intents_lease", { state: "SENDING" }],
      ["notification_intents_lease", lease],
      ["notification_intents_settled", { state: "SENT" }],
      ["notification_intents_settled", { settled_at: soon }],
      ["notification_intents_reason", { state: "RETRY_WAIT" }],
      ["notification_intents_reason", { state: "UNKNOWN", settled_at: soon }],
    ],
  ],
  [
    "notification_deliveries",
    {
      ...scope,
      intent_id: id,
      command_id: id,
      attempt: 1,
      fence: 1,
      provider: "mailbox",
      outcome: "SENT",
      worker: "worker-1",
      started_at: soon,
      duration_ms: 1,
    },
    [
      ["notification_deliveries_outcome", { outcome: "PENDING" }],
      ["notification_deliveries_reason", { outcome: "UNKNOWN" }],
    ],
  ],
  [
    "reminders",
    { ...scope, appointment_id: id, appointment_version: 1, command_id: id, due_at: soon, state: "PLANNED" },
    [
      ["reminders_state", { state: "DUE" }],
      ["reminders_reason", { state: "CANCELLED" }],
    ],
  ],
  [
    "idempotency_keys",
    {
      ...scope,
      caller: "desk:1",
      key: "key-1",
      fingerprint: "f",
      fingerprint_version: 1,
      fingerprint_key_id: "k1",
      operation: "createAppointment",
      status: 201,
      body: "{}",
      expires_at: soon,
    },
    [
      ["idempotency_keys_answer", { body: null }],
      ["idempotency_keys_answer", { status: null }],
      ["idempotency_keys_status", { status: 500 }],
      ["idempotency_keys_status", { status: 429 }],
    ],
  ],
  [
    "command_calls",
    {
      ...scope,
      caller: "desk:1",
      key: "key-1",
      operation: "createAppointment",
      command_id: id,
      outcome: "FIRST",
      status: 201,
      actor_kind: "person",
      actor_id: id,
      request_id: "request-1",
      duration_ms: 1,
    },
    [
      ["command_calls_outcome", { outcome: "SECOND" }],
      ["command_calls_known", { command_id: null }],
      ["command_calls_actor", { actor_kind: "robot" }],
    ],
  ],
  [
    "appointments",
    {
      ...scope,
      ref: "APT-000001",
      status: "CONFIRMED",
      patient_id: id,
      doctor_id: id,
      treatment_id: id,
      starts_at: soon,
      ends_at: "2027-02-09T10:30:00Z",
      local_date: "2027-02-09",
      local_start: "2027-02-09T11:00",
      utc_offset_seconds: 3600,
      source: "DESK",
      command_id: id,
    },
    [
      ["appointments_status", { status: "BOOKED" }],
      ["appointments_time", { ends_at: soon }],
      ["appointments_versions", { placement_version: 2 }],
      ["appointments_source", { source: "FAX" }],
    ],
  ],
  [
    "daily_load_visits",
    { ...scope, appointment_id: id, local_date: "2027-02-09", status: "CONFIRMED", version: 1 },
    [["daily_load_visits_status", { status: "BOOKED" }]],
  ],
  [
    "fact_changes",
    {
      ...scope,
      fact_version: 1,
      fact_table: "absences",
      fact_id: id,
      change: "ADDED",
      new_digest: "digest",
      after: "{}",
      actor_kind: "database",
      actor_ref: "postgres",
    },
    [
      ["fact_changes_change", { change: "MOVED", before: "{}", old_digest: "digest" }],
      ["fact_changes_sides", { before: "{}", old_digest: "digest" }],
      ["fact_changes_sides", { change: "REMOVED" }],
      ["fact_changes_sides", { new_digest: null }],
      ["fact_changes_actor", { actor_kind: "robot" }],
    ],
  ],
  [
    "planning_weights",
    {
      ...scope,
      unassigned: 1,
      moved_told: 0,
      moved_untold: 0,
      doctor_changed: 0,
      per_day_moved: 0,
      per_quarter_moved: 0,
      other_doctor: 0,
      per_day_off: 0,
      outside_window: 0,
      load_pair: 0,
      gap_per_five_minutes: 0,
    },
    [
      ["planning_weights_unassigned", { unassigned: 0 }],
      ["planning_weights_rest", { load_pair: -1 }],
      ["planning_weights_rest", { moved_told: 100_001 }],
    ],
  ],
  [
    "resource_claims",
    { ...scope, appointment_id: id, resource_id: id, during: "[2027-02-09 10:00Z,2027-02-09 11:00Z)" },
    [
      ["resource_claims_during", { during: "empty" }],
      ["resource_claims_during", { during: "[2027-02-09 10:00Z,2027-02-09 11:00Z]" }],
      ["resource_claims_seats", { seats: 0 }],
      ["resource_claims_override", { overridden: true, override_reason: "asked for", clashes_with: [id] }],
    ],
  ],
  [
    "replay_requests",
    {
      ...scope,
      request_id: id,
      ref: "MF-000001",
      requested_by_id: id,
      requested_by_ref: "ST-000001",
      consumer: "daily-load-v1",
      log_id: "log",
      topic: "appointment.v1",
      selection: "{}",
      selection_digest: "selection",
      ranges: "[]",
      records: 2,
      matching: 2,
      offsets_spanned: 2,
      waiting_behind: 0,
      oldest_at: soon,
      manifest_digest: "manifest",
      digest_key_id: "k1",
      needs_second: true,
      preview_expires_at: soon,
      ...approval,
      state: "AWAITING_SECOND",
    },
    [
      ["replay_requests_state", { state: "DONE" }],
      ["replay_requests_wanted", { wanted: "STOP" }],
      ["replay_requests_lease", lease],
      ["replay_requests_lease", { state: "RUNNING", ...second }],
      ["replay_requests_records", { records: 10_001, matching: 10_001 }],
      ["replay_requests_records", { offsets_spanned: 100_001 }],
      ["replay_requests_bounds", { max_seconds: 301 }],
      ["replay_requests_bounds", { rate_per_second: 51 }],
      ["replay_requests_approved", { reason: null }],
      ["replay_requests_approved", { state: "PREVIEWED" }],
      ["replay_requests_digest", { approved_digest: "another" }],
      ["replay_requests_second", { ...second, second_approver_id: id }],
      ["replay_requests_second_first", { state: "QUEUED" }],
      ["replay_requests_ended", { state: "COMPLETED", ...receipt }],
      ["replay_requests_receipt", { state: "INCOMPLETE", ended_at: soon }],
      ["replay_requests_receipt", { state: "INCOMPLETE", ended_at: soon, ...receipt, skipped: 1 }],
      ["replay_requests_completed", { state: "COMPLETED", ended_at: soon, ...receipt, processed: 1, skipped: 1 }],
    ],
  ],
  [
    "replay_items",
    {
      ...scope,
      request_id: id,
      position: 1,
      inbox_id: id,
      event_id: id,
      row_version: 1,
      row_state: "QUARANTINED",
      partition: 1,
      offset: 1,
    },
    [
      ["replay_items_outcome", { outcome: "DONE", settled_at: soon }],
      ["replay_items_row_state", { row_state: "STOPPED" }],
      ["replay_items_settled", { outcome: "PROCESSED" }],
      ["replay_items_settled", { outcome: "PROCESSED", settled_at: soon, is_open: true }],
      ["replay_items_reason", { outcome: "SKIPPED", settled_at: soon }],
    ],
  ],
  [
    "worker_heartbeats",
    { worker_id: "relay-1", role: "outbox-relay", beat_at: soon, state: "RUNNING" },
    [["worker_heartbeats_state", { state: "SILENT" }]],
  ],
  [
    "log_group_offsets",
    { group_id: "g", topic: "appointment.v1", partition: 1 },
    [
      ["log_group_offsets_lease", { owner: "member-1" }],
      ["log_group_offsets_lease", { lease_until: soon }],
    ],
  ],
];

/** Inserts a row with nothing but the table's own rules in force, and takes it away again. Answers the constraint that refused it. */
async function insert(table: string, row: Row): Promise<string> {
  const sql = db.superuser.$client;
  try {
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`; // no foreign keys, no triggers
      await tx`insert into ${tx(table)} ${tx(row)}`;
      throw new Error("taken back");
    });
  } catch (error) {
    if ((error as Error).message !== "taken back") return databaseError(error)?.constraint ?? String(error);
  }
  return "none";
}

describe.each(tables)("%s", (table, right, broken) => {
  it("takes a row whose columns say what its state says", async () => {
    expect(await insert(table, right)).toBe("none");
  });

  it.each(broken)("%s refuses %o", async (constraint, change) => {
    expect(await insert(table, { ...right, ...change })).toBe(constraint);
  });
});

describe("the catalogue", () => {
  it("has a rule for every column that holds one of a few words", async () => {
    const unruled = await db.superuser.$client`
      select c.relname || '.' || a.attname as name
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.atttypid = 'text'::regtype
        and a.attname in ('state', 'status', 'outcome', 'kind', 'effect', 'result', 'change', 'source', 'actor_kind', 'from_status', 'to_status')
        and not exists (
          select from pg_constraint k where k.conrelid = c.oid and k.contype = 'c' and a.attnum = any (k.conkey))`;
    expect(unruled.map(({ name }) => name)).toEqual([]);
  });
});
