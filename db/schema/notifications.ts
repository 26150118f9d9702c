// Intents are written with the change they tell of; the dispatcher drains them. The intent id is the provider's idempotency key on every attempt.
// Growing PENDING means the dispatcher is down; growing RETRY_WAIT means a provider is; EXHAUSTED and UNKNOWN wait for STAFF.
import { sql } from "drizzle-orm";
import { check, foreignKey, index, integer, pgTable, text, unique, uuid } from "drizzle-orm/pg-core";
import { appointments } from "./appointments";
import { clinicId, counter, createdAt, id, instant, tenantGroupId } from "./columns";

export const notificationStates = ["PENDING", "SENDING", "SENT", "RETRY_WAIT", "SUPPRESSED", "EXHAUSTED", "UNKNOWN"] as const;

export const notificationIntents = pgTable(
  "notification_intents",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    commandId: uuid().notNull(),
    appointmentId: uuid().notNull(),
    appointmentVersion: counter().notNull(),
    patientId: uuid().notNull(),
    kind: text().notNull(),
    state: text().notNull().default("PENDING"),
    attempts: integer().notNull().default(0),
    fence: counter().notNull().default(sql`0`),
    leaseOwner: text(),
    leaseUntil: instant(),
    nextAttemptAt: instant().notNull().default(sql`clock_timestamp()`),
    reasonCode: text(),
    provider: text(),
    createdAt: createdAt(),
    settledAt: instant(),
  },
  (t) => [
    unique("notification_intents_tenant_key").on(t.tenantGroupId, t.clinicId, t.id), // what refers to one names its clinic too
    unique("notification_intents_change_key").on(t.tenantGroupId, t.appointmentId, t.appointmentVersion, t.kind), // one intent for one change
    foreignKey({ columns: [t.tenantGroupId, t.appointmentId], foreignColumns: [appointments.tenantGroupId, appointments.id] }),
    index("notification_intents_due").on(t.nextAttemptAt).where(sql`state in ('PENDING', 'RETRY_WAIT')`), // dispatch tick
    index("notification_intents_expired").on(t.leaseUntil).where(sql`state = 'SENDING'`), // take-over
    // review of a clinic's messages: what waits, oldest first
    index("notification_intents_unsettled").on(t.clinicId, t.createdAt).where(sql`state in ('PENDING', 'SENDING', 'RETRY_WAIT')`),
    // the same review: what was given up lately
    index("notification_intents_given_up").on(t.clinicId, t.settledAt).where(sql`state in ('EXHAUSTED', 'UNKNOWN')`),
    index("notification_intents_command").on(t.commandId), // story: where command_id
    check("notification_intents_kind", sql`kind in ('BOOKED', 'REQUESTED', 'CONFIRMED', 'MOVED', 'CANCELLED', 'REMINDER')`),
    check("notification_intents_state", sql`state in ('PENDING', 'SENDING', 'SENT', 'RETRY_WAIT', 'SUPPRESSED', 'EXHAUSTED', 'UNKNOWN')`),
    check(
      "notification_intents_lease",
      sql`(state = 'SENDING') = (lease_until is not null) and (state = 'SENDING') = (lease_owner is not null)`,
    ),
    check("notification_intents_settled", sql`(state in ('SENT', 'SUPPRESSED', 'EXHAUSTED', 'UNKNOWN')) = (settled_at is not null)`),
    check("notification_intents_reason", sql`state not in ('RETRY_WAIT', 'SUPPRESSED', 'EXHAUSTED', 'UNKNOWN') or reason_code is not null`),
  ],
);

/** Append-only: every attempt at a provider, or the decision not to send. */
export const notificationDeliveries = pgTable(
  "notification_deliveries",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    intentId: uuid().notNull(),
    commandId: uuid().notNull(),
    attempt: integer().notNull(),
    fence: counter().notNull(),
    provider: text().notNull(),
    outcome: text().notNull(),
    reasonCode: text(),
    /** What the provider calls the message; opaque. */
    providerReference: text(),
    worker: text().notNull(),
    startedAt: instant().notNull(),
    durationMs: integer().notNull(),
    at: createdAt(),
  },
  (t) => [
    foreignKey({
      name: "notification_deliveries_intent_fk",
      columns: [t.tenantGroupId, t.clinicId, t.intentId],
      foreignColumns: [notificationIntents.tenantGroupId, notificationIntents.clinicId, notificationIntents.id],
    }),
    index("notification_deliveries_intent").on(t.intentId, t.at), // evidence: where intent_id order by at
    index("notification_deliveries_command").on(t.commandId), // story: where command_id
    check("notification_deliveries_outcome", sql`outcome in ('SENT', 'RETRY_WAIT', 'SUPPRESSED', 'EXHAUSTED', 'UNKNOWN', 'FENCED')`),
    check(
      "notification_deliveries_reason",
      sql`outcome not in ('RETRY_WAIT', 'SUPPRESSED', 'EXHAUSTED', 'UNKNOWN') or reason_code is not null`,
    ),
  ],
);

/** The demo's provider: a mailbox. Holds patient text; web may read that and when, never address, subject or body (column grants of migration 0001). */
export const mailboxMessages = pgTable(
  "mailbox_messages",
  {
    intentId: uuid().primaryKey(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    address: text().notNull(),
    subject: text().notNull(),
    body: text().notNull(),
    receivedAt: createdAt(),
  },
  (t) => [
    foreignKey({
      name: "mailbox_messages_intent_fk",
      columns: [t.tenantGroupId, t.clinicId, t.intentId],
      foreignColumns: [notificationIntents.tenantGroupId, notificationIntents.clinicId, notificationIntents.id],
    }),
  ],
);

/** Planned by reminder-planner-v1 from events; sent by the reminder runner. One row a visit: moved with it, cancelled with it. */
export const reminders = pgTable(
  "reminders",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    appointmentId: uuid().notNull(),
    appointmentVersion: counter().notNull(),
    commandId: uuid().notNull(),
    dueAt: instant().notNull(),
    state: text().notNull(),
    reasonCode: text(),
    updatedAt: instant().notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    unique("reminders_appointment_key").on(t.tenantGroupId, t.appointmentId),
    foreignKey({ columns: [t.tenantGroupId, t.appointmentId], foreignColumns: [appointments.tenantGroupId, appointments.id] }),
    index("reminders_due").on(t.dueAt).where(sql`state = 'PLANNED'`), // reminder tick
    check("reminders_state", sql`state in ('PLANNED', 'CANCELLED', 'SENT')`),
    check("reminders_reason", sql`state <> 'CANCELLED' or reason_code is not null`),
  ],
);
