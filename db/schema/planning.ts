// Calculated plans. A run is written by a request (desk, operations, command line), claimed and calculated by the planning solver, and applied by one
// writer, apply-plan, which holds it against the facts and rows of that moment. Its moves and sources are written once, with the calculation.
// planning_apply_attempts is append-only: what each apply found, also when nothing was written. A growing count of REQUESTED runs means that no solver
// is up; of CALCULATED ones, that nobody decides; of RETRYABLE ones, that applies meet too many writers.
import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  date,
  doublePrecision,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { clinicId, counter, createdAt, id, instant, tenantGroupId } from "./columns";

export const planningStates = [
  "REQUESTED",
  "CALCULATING",
  "CALCULATED",
  "APPLIED",
  "STALE_REJECTED",
  "RETRYABLE",
  "DISCARDED",
  "FAILED",
] as const;
export const staleKinds = ["FACTS", "VERSIONS", "CAPACITY", "TIME"] as const;
export const applyOutcomes = ["APPLIED", "STALE_REJECTED", "RETRYABLE"] as const;
export const applySteps = ["SCOPE", "FACTS", "ROWS", "CAS", "WRITE", "DONE"] as const;

const oneOf = (column: string, words: readonly string[]) => sql.raw(`${column} in (${words.map((word) => `'${word}'`).join(", ")})`);

export const planningRuns = pgTable(
  "planning_runs",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    /** SOL-… */
    ref: text().notNull(),
    state: text().notNull().default("REQUESTED"),
    version: counter().notNull().default(sql`1`),

    // what was asked for
    fromDate: date({ mode: "string" }).notNull(),
    untilDate: date({ mode: "string" }).notNull(),
    /** CONFIRMED visits that the requester lets move, beside those that break a fact. */
    chosenIds: uuid().array().notNull().default(sql`'{}'`),
    /** Visits that stay where they are in this run, whatever the rule says: the rest of a plan of which a part is to be applied. */
    keptIds: uuid().array().notNull().default(sql`'{}'`),
    /** DESK, OPERATIONS or COMMAND_LINE */
    requestedFrom: text().notNull(),
    requestedById: text().notNull(),
    requestedByKind: text().notNull(),
    requestedByRef: text().notNull(),
    requestedAt: createdAt(),
    /** The command that asked for it; the one key made one run. */
    commandId: uuid().notNull(),
    /** The run that this one takes the place of, and as what: RECALCULATION or PART. */
    previousRunId: uuid(),
    previousAs: text(),
    seed: integer().notNull(),
    /** Rounds of each engine, not time: the same rounds give the same plan. */
    effort: jsonb().notNull(),
    timeLimitMs: integer().notNull(),

    // the calculation
    /** What a person wants of a run that is being calculated; the solver looks while it works. */
    wanted: text().notNull().default("RUN"),
    wantedByRef: text(),
    fence: counter().notNull().default(sql`0`),
    leaseOwner: text(),
    leaseUntil: instant(),
    /** Claims by a solver; one that died counts. */
    calculations: integer().notNull().default(0),
    startedAt: instant(),
    /** Of a run under way: phase, ms, cost, bound. */
    progress: jsonb(),
    calculatedAt: instant(),
    /** planningFactVersion and the digest of each group; the planning scope's counter beside it. */
    factVersion: text(),
    factGroups: jsonb(),
    scopeFactVersion: counter(),
    snapshotAt: instant(),
    snapshotMs: integer(),
    solveMs: integer(),
    visits: integer(),
    movable: integer(),
    moves: integer(),
    unplaced: integer(),
    /** Visits that need another place, or were chosen for one, and stay all the same: pinned, under way, or of a length that no plan gives. */
    stays: integer().notNull().default(0),
    sources: integer(),
    feasible: boolean(),
    proven: boolean(),
    provenBy: text(),
    /** False when a clock or a cancel ended it; PROVEN, EFFORT, TIME or CANCELLED. */
    reproducible: boolean(),
    endedBy: text(),
    cost: doublePrecision(),
    bound: doublePrecision(),
    gap: doublePrecision(),
    /** The least number of visits that any plan leaves without a place. */
    unassignedBound: integer(),
    /** The score by level, from the weightiest down; engines and their versions; phases with their ms, cost and bound. */
    levels: jsonb(),
    engine: jsonb(),
    phases: jsonb(),

    // signposts: never an authority
    probablyStaleAt: instant(),
    probablyStaleFacts: text().array(),

    // the apply
    applyAttempts: integer().notNull().default(0),
    /** Of them by the planning worker, after a RETRYABLE end. */
    workerAttempts: integer().notNull().default(0),
    /** Who ordered it; the worker that tries again asks whether they still may. */
    applyById: uuid(),
    applyByRef: text(),
    appliedAt: instant(),
    applyCommandId: uuid(),
    /** When it was last refused or had to be given up, and why; they stay when the run is discarded afterwards. */
    staleAt: instant(),
    staleKind: text(),
    sqlstate: text(),
    nextAttemptAt: instant(),

    endedAt: instant(),
    endedReason: text(),
    endedByRef: text(),
  },
  (t) => [
    unique("planning_runs_ref_key").on(t.tenantGroupId, t.ref),
    unique("planning_runs_tenant_key").on(t.tenantGroupId, t.id),
    unique("planning_runs_command_key").on(t.commandId),
    foreignKey({ columns: [t.tenantGroupId, t.previousRunId], foreignColumns: [t.tenantGroupId, t.id] }),
    index("planning_runs_clinic").on(t.clinicId, t.requestedAt), // queue: where clinic_id order by requested_at desc
    index("planning_runs_waiting").on(t.requestedAt).where(sql`state in ('REQUESTED', 'CALCULATING')`), // solver's claim
    index("planning_runs_retryable").on(t.nextAttemptAt).where(sql`state = 'RETRYABLE'`), // worker: due applies
    index("planning_runs_settled").on(t.clinicId, t.endedAt, t.id).where(sql`ended_at is not null`), // queue: what has ended, newest first
    index("planning_runs_open").on(t.clinicId, t.state).where(sql`state in ('CALCULATED', 'RETRYABLE', 'STALE_REJECTED')`), // trigger, tiles: where clinic_id and state
    // one calculation at a time for a scope: asking again meets it
    uniqueIndex("planning_runs_running").on(t.clinicId, t.fromDate, t.untilDate).where(sql`state in ('REQUESTED', 'CALCULATING')`),
    uniqueIndex("planning_runs_previous").on(t.previousRunId, t.previousAs).where(sql`previous_as = 'RECALCULATION'`), // one successor
    check("planning_runs_state", oneOf("state", planningStates)),
    check("planning_runs_range", sql`from_date <= until_date and until_date < from_date + 62`),
    check("planning_runs_requested_from", sql`requested_from in ('DESK', 'OPERATIONS', 'COMMAND_LINE')`),
    check("planning_runs_requested_by", sql`requested_by_kind in ('person', 'command-line', 'worker')`),
    check("planning_runs_previous_as", sql`(previous_run_id is null) = (previous_as is null) and previous_as in ('RECALCULATION', 'PART')`),
    check("planning_runs_time_limit", sql`time_limit_ms > 0`),
    check("planning_runs_wanted", sql`wanted in ('RUN', 'CANCEL')`),
    // CALCULATING has a lease; RETRYABLE while the worker tries again; the other states do not
    check(
      "planning_runs_lease",
      sql`(lease_until is null) = (lease_owner is null) and (state <> 'CALCULATING' or lease_until is not null) and (state in ('CALCULATING', 'RETRYABLE') or lease_until is null)`,
    ),
    // a calculation is whole
    check(
      "planning_runs_calculated",
      sql`num_nulls(calculated_at, fact_version, fact_groups, scope_fact_version, snapshot_at, snapshot_ms, solve_ms, visits, movable, moves, unplaced, sources, feasible, proven, reproducible, cost, levels, engine, phases) in (0, 19) and (state not in ('CALCULATED', 'APPLIED', 'STALE_REJECTED', 'RETRYABLE') or calculated_at is not null)`,
    ),
    check("planning_runs_fact_version", sql`fact_version ~ '^[0-9a-f]{64}$'`),
    check("planning_runs_stale_kind", sql`(stale_at is null) = (stale_kind is null) and ${oneOf("stale_kind", staleKinds)}`),
    check("planning_runs_stale", sql`state <> 'STALE_REJECTED' or stale_kind is not null`),
    check(
      "planning_runs_applied",
      sql`(state = 'APPLIED') = (applied_at is not null) and (applied_at is null) = (apply_command_id is null)`,
    ),
    check(
      "planning_runs_retryable",
      sql`(state <> 'RETRYABLE' or sqlstate in ('40001', '40P01')) and (next_attempt_at is null or state = 'RETRYABLE')`,
    ),
    check("planning_runs_worker_attempts", sql`worker_attempts between 0 and 5`),
    check(
      "planning_runs_ended",
      sql`(ended_at is not null) = (state in ('APPLIED', 'DISCARDED', 'FAILED')) and (state not in ('DISCARDED', 'FAILED') or ended_reason is not null)`,
    ),
  ],
);

/** A visit that the plan gives another place, has none for, or leaves although a fact stands against it. Written with the calculation and never changed. */
export const planningRunMoves = pgTable(
  "planning_run_moves",
  {
    runId: uuid().notNull(),
    /** In the order of the new starts; then those without a place, then those that stay. */
    position: integer().notNull(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    appointmentId: uuid().notNull(),
    appointmentRef: text().notNull(),
    /** MOVE; UNPLACED: no legal time was found; STAYS: affected, and not this plan's to move. Apply leaves both as they are. */
    kind: text().notNull(),
    status: text().notNull(),
    fromDoctorId: uuid().notNull(),
    fromStartsAt: instant().notNull(),
    fromEndsAt: instant().notNull(),
    fromEquipmentIds: uuid().array().notNull(),
    toDoctorId: uuid(),
    toStartsAt: instant(),
    toEndsAt: instant(),
    /** One for each need of the treatment, in the order of the needs. */
    toEquipmentIds: uuid().array(),
    /** Why it moves: REQUESTED, PENDING_RESCHEDULE, CHOSEN, or the blocker of its old place (DOCTOR_ABSENT, EQUIPMENT_OUT, CLOSED, …). */
    whyCode: text().notNull(),
    /** D-…, EQ-… or CL-… of the blocker, with its time. */
    whySubjectRef: text(),
    whyFrom: instant(),
    whyUntil: instant(),
    /** The patient had been told of the old place when the plan was calculated. */
    wasTold: boolean().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.position] }),
    foreignKey({ columns: [t.tenantGroupId, t.runId], foreignColumns: [planningRuns.tenantGroupId, planningRuns.id] }),
    unique("planning_run_moves_visit").on(t.runId, t.appointmentId),
    index("planning_run_moves_appointment").on(t.appointmentId), // story of a visit: where appointment_id
    check("planning_run_moves_kind", sql`kind in ('MOVE', 'UNPLACED', 'STAYS')`),
    // a visit that has begun is moved by nobody
    check(
      "planning_run_moves_status",
      sql`status in ('REQUESTED', 'CONFIRMED', 'PENDING_RESCHEDULE', 'CHECKED_IN', 'IN_PROGRESS') and (kind = 'STAYS' or status not in ('CHECKED_IN', 'IN_PROGRESS'))`,
    ),
    check(
      "planning_run_moves_to",
      sql`num_nulls(to_doctor_id, to_starts_at, to_ends_at, to_equipment_ids) = case kind when 'MOVE' then 0 else 4 end and to_starts_at < to_ends_at`,
    ),
  ],
);

/** A row that the plan was calculated from, with the version that a compare-and-set expects. */
export const planningRunSources = pgTable(
  "planning_run_sources",
  {
    runId: uuid().notNull(),
    appointmentId: uuid().notNull(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    /** VERSION: moved, so every change counts. PLACEMENT: stays, so only its place counts. */
    kind: text().notNull(),
    expectedVersion: counter().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.appointmentId] }),
    foreignKey({ columns: [t.tenantGroupId, t.runId], foreignColumns: [planningRuns.tenantGroupId, planningRuns.id] }),
    check("planning_run_sources_kind", sql`kind in ('VERSION', 'PLACEMENT') and expected_version > 0`),
  ],
);

/** One apply, with what it compared. */
export const planningApplyAttempts = pgTable(
  "planning_apply_attempts",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    runId: uuid().notNull(),
    attempt: integer().notNull(),
    /** Key of the call; the same key is answered with this attempt. Null: the planning worker's own. */
    requestKey: text(),
    actorKind: text().notNull(),
    actorId: text().notNull(),
    actorRef: text().notNull(),
    outcome: text().notNull(),
    /** The step that it got to: SCOPE, FACTS, ROWS, CAS, WRITE, DONE. */
    reached: text().notNull(),
    staleKind: text(),
    /** For the version and each fact group: expected, found. Null: not got to. */
    factVersion: text(),
    factGroups: jsonb(),
    scopeFactVersion: counter(),
    /** Rows compared, and those that were behind: { ref, kind, from, to } (to null: gone). At most 50. */
    sourcesCompared: integer(),
    sourcesBehind: integer(),
    behind: jsonb().notNull().default([]),
    /** Compare-and-sets that failed under the lock. 0 of a refused apply: it was stopped before. */
    casFailures: integer().notNull().default(0),
    /** Of a CAPACITY end: { resourceId, ref, kind }. */
    capacity: jsonb(),
    sqlstate: text(),
    /** Runs of the transaction that the database asked for. */
    runs: integer().notNull(),
    written: integer().notNull().default(0),
    startedAt: instant().notNull(),
    endedAt: createdAt(),
    /** Of the last run of the transaction: { scope, facts, rows, write } in ms. */
    stepMs: jsonb().notNull().default({}),
    durationMs: integer().notNull(),
  },
  (t) => [
    foreignKey({ columns: [t.tenantGroupId, t.runId], foreignColumns: [planningRuns.tenantGroupId, planningRuns.id] }),
    unique("planning_apply_attempts_run").on(t.runId, t.attempt),
    index("planning_apply_attempts_latest").on(t.endedAt), // metrics: where ended_at >
    check("planning_apply_attempts_outcome", oneOf("outcome", applyOutcomes)),
    check("planning_apply_attempts_reached", oneOf("reached", applySteps)),
    check(
      "planning_apply_attempts_stale",
      sql`(outcome = 'STALE_REJECTED') = (stale_kind is not null) and ${oneOf("stale_kind", staleKinds)}`,
    ),
    check("planning_apply_attempts_written", sql`(outcome = 'APPLIED') = (reached = 'DONE') and (written = 0 or outcome = 'APPLIED')`),
    check("planning_apply_attempts_sqlstate", sql`(outcome = 'RETRYABLE') = (sqlstate is not null)`),
    check("planning_apply_attempts_actor", sql`actor_kind in ('person', 'worker')`),
  ],
);
