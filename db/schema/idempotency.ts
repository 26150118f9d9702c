// Boundary 1. A row is written when a key is first taken and committed only with its answer (deferred trigger of migration 0001);
// a sweeper removes rows past expires_at. command_calls is append-only: every call under a key, so that counting is honest.
import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, primaryKey, smallint, text, uuid } from "drizzle-orm/pg-core";
import { clinicId, createdAt, id, instant, tenantGroupId } from "./columns";

export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    /** `client:<uuid>` of an API client, or `desk:<clinic uuid>`: a colleague at the same desk who retries sends the same command. */
    caller: text().notNull(),
    key: text().notNull(),
    fingerprint: text().notNull(),
    fingerprintVersion: smallint().notNull(),
    fingerprintKeyId: text().notNull(),
    commandId: uuid().notNull().default(sql`uuidv7()`),
    operation: text().notNull(),
    appointmentId: uuid(),
    /** The stored answer: no header but these, no patient data; the body as text, so that a replay is the same bytes. */
    status: smallint(),
    body: text(),
    location: text(),
    etag: text(),
    createdAt: createdAt(),
    expiresAt: instant().notNull(),
  },
  (t) => [
    primaryKey({ name: "idempotency_keys_pkey", columns: [t.tenantGroupId, t.clinicId, t.caller, t.key] }),
    index("idempotency_keys_command").on(t.commandId), // story: where command_id
    index("idempotency_keys_expires").on(t.expiresAt), // sweep: where expires_at <= clock_timestamp()
    check("idempotency_keys_answer", sql`(status is null) = (body is null)`),
    check("idempotency_keys_status", sql`status between 200 and 299 or status in (404, 409, 412, 422)`),
  ],
);

export const commandCalls = pgTable(
  "command_calls",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    caller: text().notNull(),
    key: text().notNull(),
    operation: text().notNull(),
    /** null while another call holds the key: its command is not known yet */
    commandId: uuid(),
    outcome: text().notNull(),
    status: smallint().notNull(),
    actorKind: text().notNull(),
    actorId: text().notNull(),
    requestId: text().notNull(),
    calledAt: createdAt(),
    durationMs: integer().notNull(),
  },
  (t) => [
    index("command_calls_command").on(t.commandId), // story: where command_id
    index("command_calls_key").on(t.tenantGroupId, t.clinicId, t.caller, t.key), // story: calls in progress of a key
    index("command_calls_outcome").on(t.clinicId, t.outcome, t.calledAt), // tiles: where clinic_id and outcome and called_at >= $1
    check("command_calls_outcome", sql`outcome in ('FIRST', 'REPLAYED', 'REUSED', 'IN_PROGRESS', 'OVERLOADED')`),
    check("command_calls_actor", sql`actor_kind in ('person', 'token', 'worker')`),
    check("command_calls_known", sql`outcome in ('IN_PROGRESS', 'OVERLOADED') or command_id is not null`),
  ],
);
