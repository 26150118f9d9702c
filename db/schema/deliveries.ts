// What STAFF do about deliveries, beside the rows of inbox and outbox, so that consumers and relay never wait for it.
// delivery_tasks: one for each row that stopped; triggers on inbox and outbox open, reopen and close it, STAFF assign and keep it.
// delivery_groups: exact counts of tasks by reason, kept by a trigger on delivery_tasks; `npm run ops -- delivery recount` compares and repairs.
// delivery_notes is append-only: no act removes what somebody wrote. A growing count of OPEN tasks means that nobody decides.
import { sql } from "drizzle-orm";
import { boolean, check, index, integer, jsonb, pgTable, text, unique, uuid } from "drizzle-orm/pg-core";
import { clinicId, counter, createdAt, id, instant, tenantGroupId } from "./columns";

export const deliveryTasks = pgTable(
  "delivery_tasks",
  {
    /** The inbox row or the event of the outbox. */
    rowId: uuid().primaryKey(),
    rowKind: text().notNull(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    consumer: text().notNull(),
    reasonCode: text().notNull(),
    /** OPEN: waits for a decision. KEPT: decided to stay as it is. CLOSED: the row moved on. */
    status: text().notNull().default("OPEN"),
    /** Grows with every change of the task: an act names the one it was decided on. */
    version: counter().notNull().default(sql`1`),
    /** Of the row when it stopped: inbox.version, outbox.fence. A kept row that changes is open again. */
    rowVersion: counter().notNull(),
    stoppedAt: instant().notNull(),
    assigneeId: uuid(),
    assigneeRef: text(),
    keptAt: instant(),
    keptByRef: text(),
    keptReason: text(),
  },
  (t) => [
    index("delivery_tasks_open").on(t.clinicId, t.stoppedAt, t.rowId).where(sql`status = 'OPEN'`), // queue: where clinic_id order by stopped_at desc
    index("delivery_tasks_kept").on(t.clinicId, t.keptAt, t.rowId).where(sql`status = 'KEPT'`), // settled: where clinic_id order by kept_at desc
    index("delivery_tasks_mine").on(t.assigneeId, t.stoppedAt, t.rowId).where(sql`status = 'OPEN'`), // mine: where assignee_id
    // rows and oldest of a reason group: where clinic_id and row_kind and consumer and reason_code order by stopped_at
    index("delivery_tasks_group").on(t.clinicId, t.rowKind, t.consumer, t.reasonCode, t.stoppedAt).where(sql`status = 'OPEN'`),
    check("delivery_tasks_kind", sql`row_kind in ('inbox', 'outbox')`),
    check("delivery_tasks_status", sql`status in ('OPEN', 'KEPT', 'CLOSED')`),
    check("delivery_tasks_kept", sql`num_nonnulls(kept_at, kept_by_ref, kept_reason) = case status when 'KEPT' then 3 else 0 end`),
    check("delivery_tasks_assignee", sql`(assignee_id is null) = (assignee_ref is null)`),
  ],
);

export const deliveryGroups = pgTable(
  "delivery_groups",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    rowKind: text().notNull(),
    consumer: text().notNull(),
    reasonCode: text().notNull(),
    open: integer().notNull(),
    kept: integer().notNull(),
  },
  (t) => [
    unique("delivery_groups_key").on(t.clinicId, t.rowKind, t.consumer, t.reasonCode), // counts: where clinic_id
    check("delivery_groups_counts", sql`open >= 0 and kept >= 0`),
  ],
);

export const deliveryNotes = pgTable(
  "delivery_notes",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    rowKind: text().notNull(),
    rowId: uuid().notNull(),
    /** The act that it was written with. */
    act: text().notNull(),
    /** Opaque words of STAFF; null: the act asks for none and none were given. */
    text: text(),
    authorId: uuid().notNull(),
    authorRef: text().notNull(),
    /** To whom it was handed over. */
    toRef: text(),
    /** When the next attempt was set to. */
    forAt: instant(),
    rowVersion: counter().notNull(),
    at: createdAt(),
  },
  (t) => [
    index("delivery_notes_row").on(t.rowId, t.at), // evidence: where row_id order by at
    check("delivery_notes_kind", sql`row_kind in ('inbox', 'outbox')`),
    check(
      "delivery_notes_act",
      sql`act in ('ASSIGNED', 'HANDED_OVER', 'NOTED', 'RETRY_SCHEDULED', 'KEPT', 'PUBLISH_RETRIED', 'PUBLISH_SKIPPED', 'SEQUENCE_RELEASED')`,
    ),
    check("delivery_notes_text", sql`length(text) between 1 and 500`),
    check("delivery_notes_words", sql`act in ('ASSIGNED', 'RETRY_SCHEDULED') or text is not null`),
    check("delivery_notes_to", sql`(act = 'HANDED_OVER') = (to_ref is not null)`),
    check("delivery_notes_for", sql`(act = 'RETRY_SCHEDULED') = (for_at is not null)`),
  ],
);

/** A filter of a queue under a name, of one screen: a person's own, or shared with the STAFF of a clinic. */
export const deliveryViews = pgTable(
  "delivery_views",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    /** null: for all of the owner's clinics, and then never shared */
    clinicId: uuid(),
    ownerId: uuid().notNull(),
    ownerRef: text().notNull(),
    screen: text().notNull().default("DELIVERY"),
    name: text().notNull(),
    filter: jsonb().notNull(),
    shared: boolean().notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    unique("delivery_views_name").on(t.tenantGroupId, t.ownerId, t.screen, t.clinicId, t.name).nullsNotDistinct(), // where owner_id and screen
    index("delivery_views_shared").on(t.clinicId).where(sql`shared`), // where clinic_id and shared
    check("delivery_views_screen", sql`screen in ('DELIVERY', 'PLANNING')`),
    check("delivery_views_shared_in", sql`not shared or clinic_id is not null`),
    check("delivery_views_name_length", sql`length(name) between 1 and 40`),
    check("delivery_views_filter", sql`jsonb_typeof(filter) = 'object'`),
  ],
);
