-- Drills: their runs, and the synthetic tenant groups that they work in, kept apart from everything live by row-level security.
-- Safe beside a running older version: yes.
CREATE TABLE "drill_effects" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"consumer" text NOT NULL,
	"event_id" uuid NOT NULL,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "drill_effects_synthetic" CHECK (tenant_group_id >= 'ffffffff-0000-0000-0000-000000000000')
);
--> statement-breakpoint
CREATE TABLE "drill_runs" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid,
	"ref" text NOT NULL,
	"drill" text NOT NULL,
	"carried_out" text NOT NULL,
	"started_by_kind" text NOT NULL,
	"started_by_ref" text NOT NULL,
	"people" integer,
	"state" text DEFAULT 'REQUESTED' NOT NULL,
	"wanted" text DEFAULT 'RUN' NOT NULL,
	"wanted_by_ref" text,
	"scope_id" uuid,
	"scope_ref" text,
	"scope_removed_at" timestamp with time zone,
	"fence" bigint DEFAULT 0 NOT NULL,
	"lease_owner" text,
	"lease_until" timestamp with time zone,
	"steps" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"invariants" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"reason_code" text,
	"note" text,
	"requested_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"started_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	"duration_ms" integer,
	"version" bigint DEFAULT 1 NOT NULL,
	CONSTRAINT "drill_runs_ref_key" UNIQUE NULLS NOT DISTINCT("tenant_group_id","ref"),
	CONSTRAINT "drill_runs_state" CHECK (state in ('REQUESTED', 'RUNNING', 'PASSED', 'FAILED', 'CANCELLED')),
	CONSTRAINT "drill_runs_wanted" CHECK (wanted in ('RUN', 'CANCEL')),
	CONSTRAINT "drill_runs_carried_out" CHECK (carried_out in ('AUTOMATED', 'BY_PEOPLE') and (carried_out = 'BY_PEOPLE') = (people is not null)),
	CONSTRAINT "drill_runs_people" CHECK (people between 1 and 99),
	CONSTRAINT "drill_runs_started_by" CHECK (started_by_kind in ('person', 'command-line')),
	CONSTRAINT "drill_runs_lease" CHECK ((state = 'RUNNING') = (lease_until is not null) and (state = 'RUNNING') = (lease_owner is not null)),
	CONSTRAINT "drill_runs_ended" CHECK ((ended_at is not null) = (state in ('PASSED', 'FAILED', 'CANCELLED')) and (ended_at is null) = (duration_ms is null)),
	CONSTRAINT "drill_runs_scope" CHECK ((scope_id is null) = (scope_ref is null) and scope_id >= 'ffffffff-0000-0000-0000-000000000000'),
	CONSTRAINT "drill_runs_live" CHECK (tenant_group_id < 'ffffffff-0000-0000-0000-000000000000'),
	CONSTRAINT "drill_runs_note" CHECK (length(note) between 1 and 500)
);
--> statement-breakpoint
CREATE INDEX "drill_effects_event" ON "drill_effects" USING btree ("tenant_group_id","event_id");--> statement-breakpoint
CREATE INDEX "drill_runs_latest" ON "drill_runs" USING btree ("drill","requested_at");--> statement-breakpoint
CREATE UNIQUE INDEX "drill_runs_open" ON "drill_runs" USING btree ("tenant_group_id") WHERE state in ('REQUESTED', 'RUNNING');--> statement-breakpoint
CREATE INDEX "drill_runs_scopes" ON "drill_runs" USING btree ("ended_at") WHERE scope_id is not null and scope_removed_at is null;
--> statement-breakpoint
-- A connection of a drill names its synthetic tenant group once, when it is made (a start-up parameter), and sees nothing else from then on.
create function app_drill() returns uuid stable language sql
  return nullif(current_setting('app.drill', true), '')::uuid;
--> statement-breakpoint
revoke execute on function app_drill() from public;
--> statement-breakpoint
grant execute on function app_drill() to aops_web, aops_worker;
--> statement-breakpoint
-- Ids of synthetic tenant groups begin with ffffffff: no UUID of version 7 does before the year 10889. Workers work over all tenants, so this is where
-- what they claim, count and measure leaves drills out; people see their own tenant group only, and nobody belongs to a synthetic one.
-- Every migration that adds a tenant table calls it; a catalogue test fails on a table that was forgotten.
create function keep_synthetic_apart(t regclass, tenant_column text default 'tenant_group_id') returns void
language plpgsql set search_path = pg_catalog, public as $$
begin
  execute format(
    'create policy synthetic_apart on %1$s as restrictive to aops_worker using (%2$s) with check (%2$s)', t,
    format('case when (select app_drill()) is null then %1$I < ''ffffffff-0000-0000-0000-000000000000'' else %1$I = (select app_drill()) end', tenant_column));
end $$;
--> statement-breakpoint
revoke execute on function keep_synthetic_apart(regclass, text) from public;
--> statement-breakpoint
do $$
declare
  t text;
  worker_scope text := '(select app_worker()) is not null and ((select app_tenant()) is null or tenant_group_id = (select app_tenant()))';
begin
  foreach t in array array['drill_runs', 'drill_effects'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy migrator_all on %I to aops_migrator using (true) with check (true)', t);
    execute format('create policy worker_scope on %I to aops_worker using (%s) with check (%s)', t, worker_scope, worker_scope);
    execute format('grant select on %I to aops_web, aops_worker', t);
  end loop;
  for t in
    select c.relname from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_group_id' and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'drill_runs'
  loop
    perform keep_synthetic_apart(format('%I', t)::regclass);
  end loop;
  perform keep_synthetic_apart('tenant_groups', 'id');
end $$;
--> statement-breakpoint
-- Runs of the tenant group, and those that the command line recorded for the whole installation. Written down by web, carried on by the runner; no
-- connection of a drill reads or writes how a drill is judged.
create policy web_scope on drill_runs to aops_web using (tenant_group_id = (select app_tenant()) or tenant_group_id is null and (select app_tenant()) is not null)
  with check (tenant_group_id = (select app_tenant()));
--> statement-breakpoint
create policy web_scope on drill_effects to aops_web using (tenant_group_id = (select app_tenant()) and clinic_id = any ((select app_clinics())::uuid[]));
--> statement-breakpoint
create policy not_by_a_drill on drill_runs as restrictive to aops_worker using ((select app_drill()) is null) with check ((select app_drill()) is null);
--> statement-breakpoint
grant insert, update (wanted, wanted_by_ref, version) on drill_runs to aops_web;
--> statement-breakpoint
grant insert, update on drill_runs to aops_worker;
--> statement-breakpoint
grant insert on drill_effects to aops_worker;
--> statement-breakpoint
-- A drill acts as its own synthetic operator, on the connection of a worker: what web may write of a replay, in the synthetic scope and nowhere else.
do $$
declare
  t text;
begin
  foreach t in array array['replay_requests', 'replay_items'] loop
    execute format('grant insert on %I to aops_worker', t);
    execute format('create policy made_by_drills on %I as restrictive for insert to aops_worker with check (tenant_group_id = (select app_drill()))', t);
  end loop;
end $$;
--> statement-breakpoint
grant update (created_at) on user_roles to aops_worker; -- what SELECT … FOR SHARE asks for
--> statement-breakpoint
create policy held_by_drills on user_roles as restrictive for update to aops_worker using (tenant_group_id = (select app_drill()));
--> statement-breakpoint
-- A tenant group with a clinic and an operator who cannot sign in: no password has the hash '-'.
create function make_synthetic_scope(scope uuid, clinic uuid, operator uuid, scope_ref text, clinic_ref text, operator_ref text) returns void
language plpgsql security definer set search_path = pg_catalog, public as $$
begin
  if app_worker() is null or scope < 'ffffffff-0000-0000-0000-000000000000' then
    raise exception 'a synthetic scope is made by a worker, in the range of synthetic ids' using errcode = 'insufficient_privilege';
  end if;
  insert into tenant_groups (id, ref, name) values (scope, scope_ref, 'Drill');
  insert into clinics (id, tenant_group_id, ref, name, zone) values (clinic, scope, clinic_ref, 'Drill', 'Etc/UTC');
  insert into users (id, tenant_group_id, ref, email, name, password_hash)
  values (operator, scope, operator_ref, operator || '@drill.invalid', 'Drill', '-');
  insert into user_roles (tenant_group_id, user_id, role) values (scope, operator, 'STAFF'), (scope, operator, 'APPOINTMENT_REPLAY_OPERATOR');
end $$;
--> statement-breakpoint
-- Everything that a drill has left. Tables in the order of what refers to what.
create function remove_synthetic_scope(scope uuid) returns void
language plpgsql security definer set search_path = pg_catalog, public as $$
declare
  t text;
begin
  if app_worker() is null or scope < 'ffffffff-0000-0000-0000-000000000000' then
    raise exception 'only a synthetic scope is removed, by a worker' using errcode = 'insufficient_privilege';
  end if;
  foreach t in array array['drill_effects', 'replay_items', 'replay_refusals', 'replay_requests', 'inbox_deliveries', 'inbox_sequences', 'inbox',
    'delivery_notes', 'delivery_tasks', 'delivery_groups', 'audit_entries', 'user_roles', 'users', 'planning_scopes', 'clinics']
  loop
    execute format('delete from %I where tenant_group_id = $1', t) using scope;
  end loop;
  delete from tenant_groups where id = scope;
end $$;
--> statement-breakpoint
revoke execute on function make_synthetic_scope(uuid, uuid, uuid, text, text, text), remove_synthetic_scope(uuid) from public;
--> statement-breakpoint
grant execute on function make_synthetic_scope(uuid, uuid, uuid, text, text, text), remove_synthetic_scope(uuid) to aops_worker;
