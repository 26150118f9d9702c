// Failures that are practised on purpose. drill_runs: written by STAFF (a start) or the command line (a run on a throw-away set-up), claimed and carried
// on by the drill runner. A run's rows (events, replays, effects) belong to a synthetic tenant group of its own, whose id lies in the range below:
// live workers do not see it, a connection of a drill sees nothing else (migration 0006), and it is removed a day after the run.
// A REQUESTED run that stays means that no drill runner is up.
import { sql } from "drizzle-orm";
import { check, index, integer, jsonb, pgTable, text, unique, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { clinicId, counter, createdAt, id, instant, tenantGroupId } from "./columns";

export const drillStates = ["REQUESTED", "RUNNING", "PASSED", "FAILED", "CANCELLED"] as const;

export const drillRuns = pgTable(
  "drill_runs",
  {
    id: id(),
    /** null: of the whole installation, recorded by the command line; holds nothing of any tenant */
    tenantGroupId: uuid(),
    /** DR-… */
    ref: text().notNull(),
    drill: text().notNull(),
    /** AUTOMATED: code took the steps and judged the end. BY_PEOPLE: people did, and wrote it down. */
    carriedOut: text().notNull(),
    startedByKind: text().notNull(),
    startedByRef: text().notNull(),
    people: integer(),
    state: text().notNull().default("REQUESTED"),
    /** What STAFF want of a run that is under way; the runner looks at every step. */
    wanted: text().notNull().default("RUN"),
    wantedByRef: text(),
    /** The synthetic tenant group that the run works in, and SY-… */
    scopeId: uuid(),
    scopeRef: text(),
    scopeRemovedAt: instant(),
    fence: counter().notNull().default(sql`0`),
    leaseOwner: text(),
    leaseUntil: instant(),
    /** In order: code, state, when, how long, facts (counts and references). */
    steps: jsonb().notNull().default([]),
    /** What was checked: code, whether it holds, what was expected and found. */
    invariants: jsonb().notNull().default([]),
    /** Of a run that did not pass, or words of the people who carried it out. */
    reasonCode: text(),
    note: text(),
    requestedAt: createdAt(),
    startedAt: instant(),
    endedAt: instant(),
    durationMs: integer(),
    version: counter().notNull().default(sql`1`),
  },
  (t) => [
    unique("drill_runs_ref_key").on(t.tenantGroupId, t.ref).nullsNotDistinct(),
    index("drill_runs_latest").on(t.drill, t.requestedAt), // page: the last run of each drill
    uniqueIndex("drill_runs_open").on(t.tenantGroupId).where(sql`state in ('REQUESTED', 'RUNNING')`), // one at a time, and the runner's claim
    index("drill_runs_scopes").on(t.endedAt).where(sql`scope_id is not null and scope_removed_at is null`), // runner: scopes to be removed
    check("drill_runs_state", sql`state in ('REQUESTED', 'RUNNING', 'PASSED', 'FAILED', 'CANCELLED')`),
    check("drill_runs_wanted", sql`wanted in ('RUN', 'CANCEL')`),
    check("drill_runs_carried_out", sql`carried_out in ('AUTOMATED', 'BY_PEOPLE') and (carried_out = 'BY_PEOPLE') = (people is not null)`),
    check("drill_runs_people", sql`people between 1 and 99`),
    check("drill_runs_started_by", sql`started_by_kind in ('person', 'command-line')`),
    check("drill_runs_lease", sql`(state = 'RUNNING') = (lease_until is not null) and (state = 'RUNNING') = (lease_owner is not null)`),
    check(
      "drill_runs_ended",
      sql`(ended_at is not null) = (state in ('PASSED', 'FAILED', 'CANCELLED')) and (ended_at is null) = (duration_ms is null)`,
    ),
    check("drill_runs_scope", sql`(scope_id is null) = (scope_ref is null) and scope_id >= 'ffffffff-0000-0000-0000-000000000000'`),
    check("drill_runs_live", sql`tenant_group_id < 'ffffffff-0000-0000-0000-000000000000'`),
    check("drill_runs_note", sql`length(note) between 1 and 500`),
  ],
);

/** What a drill's consumer has done: a table that takes an effect twice, so that a second one is seen. */
export const drillEffects = pgTable(
  "drill_effects",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    consumer: text().notNull(),
    eventId: uuid().notNull(),
    at: createdAt(),
  },
  (t) => [
    index("drill_effects_event").on(t.tenantGroupId, t.eventId), // the drill's count
    check("drill_effects_synthetic", sql`tenant_group_id >= 'ffffffff-0000-0000-0000-000000000000'`),
  ],
);
