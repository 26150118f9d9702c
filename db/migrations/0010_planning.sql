-- Runs of a plan: asked for, calculated, applied or refused; with their moves, the rows they were calculated from, and every apply.
-- Safe beside a running older version: yes.
CREATE TABLE "planning_apply_attempts" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"run_id" uuid NOT NULL,
	"attempt" integer NOT NULL,
	"request_key" text,
	"actor_kind" text NOT NULL,
	"actor_id" text NOT NULL,
	"actor_ref" text NOT NULL,
	"outcome" text NOT NULL,
	"reached" text NOT NULL,
	"stale_kind" text,
	"fact_version" text,
	"fact_groups" jsonb,
	"scope_fact_version" bigint,
	"sources_compared" integer,
	"sources_behind" integer,
	"behind" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"cas_failures" integer DEFAULT 0 NOT NULL,
	"capacity" jsonb,
	"sqlstate" text,
	"runs" integer NOT NULL,
	"written" integer DEFAULT 0 NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"step_ms" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"duration_ms" integer NOT NULL,
	CONSTRAINT "planning_apply_attempts_run" UNIQUE("run_id","attempt"),
	CONSTRAINT "planning_apply_attempts_outcome" CHECK (outcome in ('APPLIED', 'STALE_REJECTED', 'RETRYABLE')),
	CONSTRAINT "planning_apply_attempts_reached" CHECK (reached in ('SCOPE', 'FACTS', 'ROWS', 'CAS', 'WRITE', 'DONE')),
	CONSTRAINT "planning_apply_attempts_stale" CHECK ((outcome = 'STALE_REJECTED') = (stale_kind is not null) and stale_kind in ('FACTS', 'VERSIONS', 'CAPACITY', 'TIME')),
	CONSTRAINT "planning_apply_attempts_written" CHECK ((outcome = 'APPLIED') = (reached = 'DONE') and (written = 0 or outcome = 'APPLIED')),
	CONSTRAINT "planning_apply_attempts_sqlstate" CHECK ((outcome = 'RETRYABLE') = (sqlstate is not null)),
	CONSTRAINT "planning_apply_attempts_actor" CHECK (actor_kind in ('person', 'worker'))
);
--> statement-breakpoint
CREATE TABLE "planning_run_moves" (
	"run_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"appointment_id" uuid NOT NULL,
	"appointment_ref" text NOT NULL,
	"kind" text NOT NULL,
	"status" text NOT NULL,
	"from_doctor_id" uuid NOT NULL,
	"from_starts_at" timestamp with time zone NOT NULL,
	"from_ends_at" timestamp with time zone NOT NULL,
	"from_equipment_ids" uuid[] NOT NULL,
	"to_doctor_id" uuid,
	"to_starts_at" timestamp with time zone,
	"to_ends_at" timestamp with time zone,
	"to_equipment_ids" uuid[],
	"why_code" text NOT NULL,
	"why_subject_ref" text,
	"why_from" timestamp with time zone,
	"why_until" timestamp with time zone,
	"was_told" boolean NOT NULL,
	CONSTRAINT "planning_run_moves_run_id_position_pk" PRIMARY KEY("run_id","position"),
	CONSTRAINT "planning_run_moves_visit" UNIQUE("run_id","appointment_id"),
	CONSTRAINT "planning_run_moves_kind" CHECK (kind in ('MOVE', 'UNPLACED')),
	CONSTRAINT "planning_run_moves_to" CHECK (num_nulls(to_doctor_id, to_starts_at, to_ends_at, to_equipment_ids) = case kind when 'MOVE' then 0 else 4 end and to_starts_at < to_ends_at)
);
--> statement-breakpoint
CREATE TABLE "planning_run_sources" (
	"run_id" uuid NOT NULL,
	"appointment_id" uuid NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"expected_version" bigint NOT NULL,
	CONSTRAINT "planning_run_sources_run_id_appointment_id_pk" PRIMARY KEY("run_id","appointment_id"),
	CONSTRAINT "planning_run_sources_kind" CHECK (kind in ('VERSION', 'PLACEMENT') and expected_version > 0)
);
--> statement-breakpoint
CREATE TABLE "planning_runs" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"ref" text NOT NULL,
	"state" text DEFAULT 'REQUESTED' NOT NULL,
	"version" bigint DEFAULT 1 NOT NULL,
	"from_date" date NOT NULL,
	"until_date" date NOT NULL,
	"chosen_ids" uuid[] DEFAULT '{}' NOT NULL,
	"kept_ids" uuid[] DEFAULT '{}' NOT NULL,
	"requested_from" text NOT NULL,
	"requested_by_id" text NOT NULL,
	"requested_by_kind" text NOT NULL,
	"requested_by_ref" text NOT NULL,
	"requested_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"command_id" uuid NOT NULL,
	"previous_run_id" uuid,
	"previous_as" text,
	"seed" integer NOT NULL,
	"effort" jsonb NOT NULL,
	"time_limit_ms" integer NOT NULL,
	"wanted" text DEFAULT 'RUN' NOT NULL,
	"wanted_by_ref" text,
	"fence" bigint DEFAULT 0 NOT NULL,
	"lease_owner" text,
	"lease_until" timestamp with time zone,
	"calculations" integer DEFAULT 0 NOT NULL,
	"started_at" timestamp with time zone,
	"progress" jsonb,
	"calculated_at" timestamp with time zone,
	"fact_version" text,
	"fact_groups" jsonb,
	"scope_fact_version" bigint,
	"snapshot_at" timestamp with time zone,
	"snapshot_ms" integer,
	"solve_ms" integer,
	"visits" integer,
	"movable" integer,
	"moves" integer,
	"unplaced" integer,
	"sources" integer,
	"feasible" boolean,
	"proven" boolean,
	"proven_by" text,
	"reproducible" boolean,
	"ended_by" text,
	"cost" double precision,
	"bound" double precision,
	"gap" double precision,
	"unassigned_bound" integer,
	"levels" jsonb,
	"engine" jsonb,
	"phases" jsonb,
	"probably_stale_at" timestamp with time zone,
	"probably_stale_facts" text[],
	"apply_attempts" integer DEFAULT 0 NOT NULL,
	"worker_attempts" integer DEFAULT 0 NOT NULL,
	"apply_by_id" uuid,
	"apply_by_ref" text,
	"applied_at" timestamp with time zone,
	"apply_command_id" uuid,
	"stale_at" timestamp with time zone,
	"stale_kind" text,
	"sqlstate" text,
	"next_attempt_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	"ended_reason" text,
	"ended_by_ref" text,
	CONSTRAINT "planning_runs_ref_key" UNIQUE("tenant_group_id","ref"),
	CONSTRAINT "planning_runs_tenant_key" UNIQUE("tenant_group_id","id"),
	CONSTRAINT "planning_runs_command_key" UNIQUE("command_id"),
	CONSTRAINT "planning_runs_state" CHECK (state in ('REQUESTED', 'CALCULATING', 'CALCULATED', 'APPLIED', 'STALE_REJECTED', 'RETRYABLE', 'DISCARDED', 'FAILED')),
	CONSTRAINT "planning_runs_range" CHECK (from_date <= until_date and until_date < from_date + 62),
	CONSTRAINT "planning_runs_requested_from" CHECK (requested_from in ('DESK', 'OPERATIONS', 'COMMAND_LINE')),
	CONSTRAINT "planning_runs_requested_by" CHECK (requested_by_kind in ('person', 'command-line', 'worker')),
	CONSTRAINT "planning_runs_previous_as" CHECK ((previous_run_id is null) = (previous_as is null) and previous_as in ('RECALCULATION', 'PART')),
	CONSTRAINT "planning_runs_time_limit" CHECK (time_limit_ms > 0),
	CONSTRAINT "planning_runs_wanted" CHECK (wanted in ('RUN', 'CANCEL')),
	CONSTRAINT "planning_runs_lease" CHECK ((lease_until is null) = (lease_owner is null) and (state <> 'CALCULATING' or lease_until is not null) and (state in ('CALCULATING', 'RETRYABLE') or lease_until is null)),
	CONSTRAINT "planning_runs_calculated" CHECK (num_nulls(calculated_at, fact_version, fact_groups, scope_fact_version, snapshot_at, snapshot_ms, solve_ms, visits, movable, moves, unplaced, sources, feasible, proven, reproducible, cost, levels, engine, phases) in (0, 19) and (state not in ('CALCULATED', 'APPLIED', 'STALE_REJECTED', 'RETRYABLE') or calculated_at is not null)),
	CONSTRAINT "planning_runs_fact_version" CHECK (fact_version ~ '^[0-9a-f]{64}$'),
	CONSTRAINT "planning_runs_stale_kind" CHECK ((stale_at is null) = (stale_kind is null) and stale_kind in ('FACTS', 'VERSIONS', 'CAPACITY', 'TIME')),
	CONSTRAINT "planning_runs_stale" CHECK (state <> 'STALE_REJECTED' or stale_kind is not null),
	CONSTRAINT "planning_runs_applied" CHECK ((state = 'APPLIED') = (applied_at is not null) and (applied_at is null) = (apply_command_id is null)),
	CONSTRAINT "planning_runs_retryable" CHECK ((state <> 'RETRYABLE' or sqlstate in ('40001', '40P01')) and (next_attempt_at is null or state = 'RETRYABLE')),
	CONSTRAINT "planning_runs_worker_attempts" CHECK (worker_attempts between 0 and 5),
	CONSTRAINT "planning_runs_ended" CHECK ((ended_at is not null) = (state in ('APPLIED', 'DISCARDED', 'FAILED')) and (state not in ('DISCARDED', 'FAILED') or ended_reason is not null))
);
--> statement-breakpoint
ALTER TABLE "planning_apply_attempts" ADD CONSTRAINT "planning_apply_attempts_tenant_group_id_run_id_planning_runs_tenant_group_id_id_fk" FOREIGN KEY ("tenant_group_id","run_id") REFERENCES "public"."planning_runs"("tenant_group_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "planning_run_moves" ADD CONSTRAINT "planning_run_moves_tenant_group_id_run_id_planning_runs_tenant_group_id_id_fk" FOREIGN KEY ("tenant_group_id","run_id") REFERENCES "public"."planning_runs"("tenant_group_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "planning_run_sources" ADD CONSTRAINT "planning_run_sources_tenant_group_id_run_id_planning_runs_tenant_group_id_id_fk" FOREIGN KEY ("tenant_group_id","run_id") REFERENCES "public"."planning_runs"("tenant_group_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "planning_runs" ADD CONSTRAINT "planning_runs_tenant_group_id_previous_run_id_planning_runs_tenant_group_id_id_fk" FOREIGN KEY ("tenant_group_id","previous_run_id") REFERENCES "public"."planning_runs"("tenant_group_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "planning_apply_attempts_latest" ON "planning_apply_attempts" USING btree ("ended_at");--> statement-breakpoint
CREATE INDEX "planning_run_moves_appointment" ON "planning_run_moves" USING btree ("appointment_id");--> statement-breakpoint
CREATE INDEX "planning_runs_clinic" ON "planning_runs" USING btree ("clinic_id","requested_at");--> statement-breakpoint
CREATE INDEX "planning_runs_waiting" ON "planning_runs" USING btree ("requested_at") WHERE state in ('REQUESTED', 'CALCULATING');--> statement-breakpoint
CREATE INDEX "planning_runs_retryable" ON "planning_runs" USING btree ("next_attempt_at") WHERE state = 'RETRYABLE';--> statement-breakpoint
CREATE INDEX "planning_runs_open" ON "planning_runs" USING btree ("clinic_id","state") WHERE state in ('CALCULATED', 'RETRYABLE', 'STALE_REJECTED');--> statement-breakpoint
CREATE UNIQUE INDEX "planning_runs_running" ON "planning_runs" USING btree ("clinic_id","from_date","until_date") WHERE state in ('REQUESTED', 'CALCULATING');--> statement-breakpoint
CREATE UNIQUE INDEX "planning_runs_previous" ON "planning_runs" USING btree ("previous_run_id","previous_as") WHERE previous_as = 'RECALCULATION';
--> statement-breakpoint
do $$
declare
  t text;
  web_scope text := 'tenant_group_id = (select app_tenant()) and clinic_id = any ((select app_clinics())::uuid[])';
  worker_scope text := '(select app_worker()) is not null and ((select app_tenant()) is null or tenant_group_id = (select app_tenant()))';
begin
  foreach t in array array['planning_runs', 'planning_run_moves', 'planning_run_sources', 'planning_apply_attempts'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy migrator_all on %I to aops_migrator using (true) with check (true)', t);
    execute format('create policy web_scope on %I to aops_web using (%s) with check (%s)', t, web_scope, web_scope);
    execute format('create policy worker_scope on %I to aops_worker using (%s) with check (%s)', t, worker_scope, worker_scope);
    execute format('grant select on %I to aops_web, aops_worker', t);
    perform keep_synthetic_apart(format('%I', t)::regclass);
  end loop;
end $$;
--> statement-breakpoint
-- web asks, decides and applies; it never claims (no lease, no fence) and never writes what was calculated.
grant insert on planning_runs, planning_apply_attempts to aops_web;
--> statement-breakpoint
grant update (state, version, wanted, wanted_by_ref, lease_owner, lease_until, apply_attempts, apply_by_id, apply_by_ref, applied_at, apply_command_id,
  stale_at, stale_kind, sqlstate, next_attempt_at, ended_at, ended_reason, ended_by_ref) on planning_runs to aops_web;
--> statement-breakpoint
grant insert, update on planning_runs to aops_worker;
--> statement-breakpoint
-- nobody but a drill, in its own scope, asks for a run on the connection of a worker
create policy made_by_drills on planning_runs as restrictive for insert to aops_worker with check (tenant_group_id = (select app_drill()));
--> statement-breakpoint
grant insert on planning_run_moves, planning_run_sources, planning_apply_attempts to aops_worker;
--> statement-breakpoint
-- The planning worker applies a run again that met too many writers: what web writes for a move, and nothing else of a visit.
grant update (version, placement_version, status, doctor_id, starts_at, ends_at, local_date, local_start, utc_offset_seconds, command_id, updated_at)
  on appointments to aops_worker;
--> statement-breakpoint
grant insert, delete on resource_claims, appointment_equipment to aops_worker;
--> statement-breakpoint
grant insert on appointment_history, outbox to aops_worker;
--> statement-breakpoint
grant update (fact_version) on planning_scopes to aops_worker; -- what SELECT … FOR NO KEY UPDATE asks for
--> statement-breakpoint
grant update (claims_seq) on resources to aops_worker; -- the same
--> statement-breakpoint
-- Doctors with their hours and visits, in the synthetic clinic of a drill: rows as jsonb, each list with all the columns that are named here.
create function fill_synthetic_clinic(scope uuid, clinic uuid, world jsonb) returns void
language plpgsql security definer set search_path = pg_catalog, public as $$
begin
  if app_worker() is null or scope < 'ffffffff-0000-0000-0000-000000000000' then
    raise exception 'a synthetic clinic is filled by a worker, in the range of synthetic ids' using errcode = 'insufficient_privilege';
  end if;
  insert into resources (id, tenant_group_id, kind, seats)
  select id, scope, kind, 1 from jsonb_to_recordset(world -> 'resources') as r (id uuid, kind text);
  insert into patients (id, tenant_group_id, ref, resource_id, name, name_search, external_reference)
  select id, scope, ref, resource_id, 'Drill', 'drill', ref from jsonb_to_recordset(world -> 'patients') as r (id uuid, ref text, resource_id uuid);
  insert into clinic_hours (tenant_group_id, clinic_id, weekday, opens, closes)
  select scope, clinic, weekday, '00:00', '00:00' from generate_series(1, 7) weekday;
  insert into doctors (id, tenant_group_id, clinic_id, ref, name, specialty, resource_id)
  select id, scope, clinic, ref, 'Drill', 'Drill', resource_id from jsonb_to_recordset(world -> 'doctors') as r (id uuid, ref text, resource_id uuid);
  insert into doctor_hours (tenant_group_id, clinic_id, doctor_id, weekday, starts, ends)
  select scope, clinic, id, weekday, '00:00', '00:00'
  from jsonb_to_recordset(world -> 'doctors') as r (id uuid), generate_series(1, 7) weekday;
  insert into treatments (id, tenant_group_id, clinic_id, ref, name, duration_minutes)
  select id, scope, clinic, ref, 'Drill', 30 from jsonb_to_recordset(world -> 'treatments') as r (id uuid, ref text);
  insert into appointments (id, tenant_group_id, clinic_id, ref, status, patient_id, doctor_id, treatment_id, starts_at, ends_at, local_date, local_start,
    utc_offset_seconds, source, command_id)
  select id, scope, clinic, ref, 'CONFIRMED', patient_id, doctor_id, treatment_id, starts_at, ends_at, (starts_at at time zone 'UTC')::date,
    starts_at at time zone 'UTC', 0, 'IMPORT', uuidv7()
  from jsonb_to_recordset(world -> 'visits') as r (id uuid, ref text, patient_id uuid, doctor_id uuid, treatment_id uuid, starts_at timestamptz, ends_at timestamptz);
  insert into resource_claims (tenant_group_id, clinic_id, appointment_id, resource_id, during, seats)
  select scope, clinic, v.id, held.resource_id, tstzrange(v.starts_at, v.ends_at), held.seats
  from jsonb_to_recordset(world -> 'visits') as v (id uuid, patient_id uuid, doctor_id uuid, starts_at timestamptz, ends_at timestamptz)
  join doctors d on d.id = v.doctor_id
  join patients p on p.id = v.patient_id
  cross join lateral (values (d.resource_id, 1), (p.resource_id, null)) as held (resource_id, seats)
  order by held.resource_id;
end $$;
--> statement-breakpoint
-- A fact that changes in a drill. The transaction may stay open for as long as the drill wants it to.
create function add_synthetic_absence(scope uuid, clinic uuid, doctor uuid, during tstzrange) returns void
language plpgsql security definer set search_path = pg_catalog, public as $$
begin
  if app_worker() is null or scope < 'ffffffff-0000-0000-0000-000000000000' then
    raise exception 'a synthetic absence is added by a worker, in the range of synthetic ids' using errcode = 'insufficient_privilege';
  end if;
  insert into absences (tenant_group_id, clinic_id, doctor_id, local_from, local_until, during, reason)
  values (scope, clinic, doctor, lower(during) at time zone 'UTC', upper(during) at time zone 'UTC', during, 'Drill');
end $$;
--> statement-breakpoint
revoke execute on function fill_synthetic_clinic(uuid, uuid, jsonb), add_synthetic_absence(uuid, uuid, uuid, tstzrange) from public;
--> statement-breakpoint
grant execute on function fill_synthetic_clinic(uuid, uuid, jsonb), add_synthetic_absence(uuid, uuid, uuid, tstzrange) to aops_worker;
--> statement-breakpoint
-- Everything that a drill has left. Tables in the order of what refers to what; facts before what their triggers write.
create or replace function remove_synthetic_scope(scope uuid) returns void
language plpgsql security definer set search_path = pg_catalog, public as $$
declare
  t text;
begin
  if app_worker() is null or scope < 'ffffffff-0000-0000-0000-000000000000' then
    raise exception 'only a synthetic scope is removed, by a worker' using errcode = 'insufficient_privilege';
  end if;
  foreach t in array array['drill_effects', 'replay_items', 'replay_refusals', 'replay_requests', 'inbox_deliveries', 'inbox_sequences', 'inbox',
    'delivery_notes', 'delivery_tasks', 'delivery_groups', 'planning_apply_attempts', 'planning_run_moves', 'planning_run_sources', 'planning_runs',
    'notification_intents', 'outbox', 'resource_claims', 'appointment_equipment', 'appointment_history', 'appointments', 'patients', 'absences',
    'doctor_hours', 'clinic_hours', 'doctors', 'treatments', 'audit_entries', 'user_roles', 'users', 'planning_weights', 'fact_changes',
    'planning_scopes', 'clinics', 'resources']
  loop
    execute format('delete from %I where tenant_group_id = $1', t) using scope;
  end loop;
  delete from tenant_groups where id = scope;
end $$;
