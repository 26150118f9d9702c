-- Facts that change: what changed and by whom, versions of breaks and weekly hours, weights of a plan.
-- Safe beside a running older version: yes.
CREATE TABLE "fact_changes" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"fact_version" bigint NOT NULL,
	"fact_table" text NOT NULL,
	"fact_id" text NOT NULL,
	"change" text NOT NULL,
	"old_digest" text,
	"new_digest" text,
	"before" jsonb,
	"after" jsonb,
	"during" "tstzrange",
	"actor_kind" text NOT NULL,
	"actor_ref" text NOT NULL,
	"command_id" uuid,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "fact_changes_change" CHECK (change in ('ADDED', 'CHANGED', 'REMOVED')),
	CONSTRAINT "fact_changes_sides" CHECK ((change = 'ADDED') = (before is null) and (change = 'REMOVED') = (after is null) and (before is null) = (old_digest is null) and (after is null) = (new_digest is null)),
	CONSTRAINT "fact_changes_actor" CHECK (actor_kind in ('person', 'token', 'worker', 'command-line', 'database'))
);
--> statement-breakpoint
CREATE TABLE "planning_weights" (
	"clinic_id" uuid PRIMARY KEY NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"unassigned" integer NOT NULL,
	"moved_told" integer NOT NULL,
	"moved_untold" integer NOT NULL,
	"doctor_changed" integer NOT NULL,
	"per_day_moved" integer NOT NULL,
	"per_quarter_moved" integer NOT NULL,
	"other_doctor" integer NOT NULL,
	"per_day_off" integer NOT NULL,
	"outside_window" integer NOT NULL,
	"load_pair" integer NOT NULL,
	"gap_per_five_minutes" integer NOT NULL,
	"version" bigint DEFAULT 1 NOT NULL,
	CONSTRAINT "planning_weights_unassigned" CHECK (unassigned between 1 and 1000000),
	CONSTRAINT "planning_weights_rest" CHECK (least(moved_told, moved_untold, doctor_changed, per_day_moved, per_quarter_moved, other_doctor, per_day_off, outside_window, load_pair, gap_per_five_minutes) >= 0 and greatest(moved_told, moved_untold, doctor_changed, per_day_moved, per_quarter_moved, other_doctor, per_day_off, outside_window, load_pair, gap_per_five_minutes) <= 100000)
);
--> statement-breakpoint
ALTER TABLE "breaks" ADD COLUMN "version" bigint DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "clinics" ADD COLUMN "hours_version" bigint DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "doctors" ADD COLUMN "hours_version" bigint DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "planning_scopes" ADD COLUMN "event_seq" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "planning_weights" ADD CONSTRAINT "planning_weights_tenant_group_id_clinic_id_clinics_tenant_group_id_id_fk" FOREIGN KEY ("tenant_group_id","clinic_id") REFERENCES "public"."clinics"("tenant_group_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "fact_changes_clinic" ON "fact_changes" USING btree ("clinic_id","fact_version");
--> statement-breakpoint
do $$
declare
  t text;
  web_scope text := 'tenant_group_id = (select app_tenant()) and clinic_id = any ((select app_clinics())::uuid[])';
  worker_scope text := '(select app_worker()) is not null and ((select app_tenant()) is null or tenant_group_id = (select app_tenant()))';
begin
  foreach t in array array['fact_changes', 'planning_weights'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy migrator_all on %I to aops_migrator using (true) with check (true)', t);
    execute format('create policy web_scope on %I to aops_web using (%s) with check (%s)', t, web_scope, web_scope);
    execute format('create policy worker_scope on %I to aops_worker using (%s) with check (%s)', t, worker_scope, worker_scope);
    execute format('grant select on %I to aops_web, aops_worker', t); -- fact_changes: written by the triggers below and by nobody else
    perform keep_synthetic_apart(format('%I', t)::regclass);
  end loop;
end $$;
--> statement-breakpoint
-- Bumps the planning scope of a clinic and writes down what changed, who did it being what the transaction says of itself (app.actor_kind, app.actor_ref,
-- app.command_id) or, for direct SQL, the database role. Nothing is written down when no column that decides is another.
create function note_fact_change(clinic uuid, fact_table text, before jsonb, after jsonb, left_out text[]) returns void
language plpgsql security definer set search_path = pg_catalog, public set timezone = 'UTC' set datestyle = 'ISO, YMD' as $$
declare
  scope record;
  old_facts jsonb := before - left_out;
  new_facts jsonb := after - left_out;
begin
  update planning_scopes set fact_version = fact_version + 1 where clinic_id = clinic returning * into scope;
  if scope.clinic_id is null or old_facts is not distinct from new_facts then
    return;
  end if;
  insert into fact_changes (tenant_group_id, clinic_id, fact_version, fact_table, fact_id, change, old_digest, new_digest, before, after, during,
    actor_kind, actor_ref, command_id)
  values (scope.tenant_group_id, clinic, scope.fact_version, fact_table,
    coalesce(after ->> 'id', before ->> 'id', clinic::text),
    case when before is null then 'ADDED' when after is null then 'REMOVED' else 'CHANGED' end,
    encode(sha256(convert_to(old_facts::text, 'UTF8')), 'hex'), encode(sha256(convert_to(new_facts::text, 'UTF8')), 'hex'),
    old_facts, new_facts, range_merge(coalesce(before ->> 'during', after ->> 'during')::tstzrange, coalesce(after ->> 'during', before ->> 'during')::tstzrange),
    coalesce(nullif(current_setting('app.actor_kind', true), ''), 'database'),
    coalesce(nullif(current_setting('app.actor_ref', true), ''), session_user),
    nullif(current_setting('app.command_id', true), '')::uuid);
end $$;
--> statement-breakpoint
-- The arguments of a trigger are the columns that decide nothing; a test holds them against server/domain/planning/snapshot/fact-groups.ts.
create or replace function bump_planning_scope() returns trigger
language plpgsql security definer set search_path = pg_catalog, public set timezone = 'UTC' set datestyle = 'ISO, YMD' as $$
declare
  clinic_column text := case when tg_table_name = 'clinics' then 'id' else 'clinic_id' end;
  before jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  after jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  was uuid := before ->> clinic_column;
  is_now uuid := after ->> clinic_column;
begin
  if was = is_now then
    perform note_fact_change(is_now, tg_table_name, before, after, tg_argv::text[]);
  else
    if was is not null then
      perform note_fact_change(was, tg_table_name, before, null, tg_argv::text[]);
    end if;
    if is_now is not null then
      perform note_fact_change(is_now, tg_table_name, null, after, tg_argv::text[]);
    end if;
  end if;
  return null;
end $$;
--> statement-breakpoint
-- How many visits a doctor, a device or a clinic takes at a time is a fact of every clinic that has it; in id order, as every writer takes scopes.
create function seats_bump_planning_scope() returns trigger
language plpgsql security definer set search_path = pg_catalog, public as $$
declare
  clinic uuid;
begin
  for clinic in
    select c.id from clinics c where c.resource_id = new.id
    union select d.clinic_id from doctors d where d.resource_id = new.id
    union select e.clinic_id from equipment e where e.resource_id = new.id
    order by 1
  loop
    perform note_fact_change(clinic, 'resources', to_jsonb(old), to_jsonb(new), tg_argv::text[]);
  end loop;
  return null;
end $$;
--> statement-breakpoint
revoke execute on function note_fact_change(uuid, text, jsonb, jsonb, text[]), seats_bump_planning_scope() from public;
--> statement-breakpoint
do $$
declare
  t record;
begin
  for t in
    select * from (values
      ('clinics', 'update', '{id,tenant_group_id,ref,name,hours_version,replay_records_limit,replay_age_hours_limit,created_at}'::text[]),
      ('holidays', null, '{id,tenant_group_id,clinic_id,name}'),
      ('doctors', null, '{tenant_group_id,clinic_id,name,specialty,hours_version}'),
      ('doctor_hours', null, '{id,tenant_group_id,clinic_id}'),
      ('absences', null, '{id,tenant_group_id,clinic_id,reason,version,created_at}'),
      ('equipment', null, '{tenant_group_id,clinic_id,ref,name,kind}'),
      ('resource_outages', null, '{id,tenant_group_id,clinic_id,reason,version,created_at}'),
      ('treatment_needs', null, '{id,tenant_group_id,clinic_id}'),
      ('treatment_need_options', null, '{id,tenant_group_id,clinic_id}'),
      ('closures', null, '{id,tenant_group_id,clinic_id,reason,version,created_at}'),
      ('breaks', null, '{id,tenant_group_id,clinic_id,label,version}'),
      ('clinic_hours', null, '{id,tenant_group_id,clinic_id}'),
      ('treatments', null, '{tenant_group_id,clinic_id,ref,name}'),
      ('planning_weights', null, '{tenant_group_id,clinic_id,version}')) as facts (name, events, left_out)
  loop
    execute format('drop trigger if exists bump_planning_scope on %I', t.name);
    execute format('create trigger bump_planning_scope after %s on %I for each row execute function bump_planning_scope(%s)',
      coalesce(t.events, 'insert or update or delete'), t.name,
      (select string_agg(quote_literal(column_name), ', ' order by n) from unnest(t.left_out) with ordinality as c (column_name, n)));
  end loop;
end $$;
--> statement-breakpoint
create trigger bump_planning_scope after update on resources
  for each row when (old.seats <> new.seats) execute function seats_bump_planning_scope('tenant_group_id', 'kind', 'claims_seq');
--> statement-breakpoint
-- A clinic is born with its planning scope; what changes of it afterwards is bumped like every other fact.
create or replace function clinic_planning_scope() returns trigger
language plpgsql security definer set search_path = pg_catalog, public as $$
begin
  insert into planning_scopes (tenant_group_id, clinic_id) values (new.tenant_group_id, new.id);
  return null;
end $$;
--> statement-breakpoint
drop trigger clinic_planning_scope on clinics;
--> statement-breakpoint
create trigger clinic_planning_scope after insert on clinics for each row execute function clinic_planning_scope();
--> statement-breakpoint
create or replace function remove_synthetic_scope(scope uuid) returns void
language plpgsql security definer set search_path = pg_catalog, public as $$
declare
  t text;
begin
  if app_worker() is null or scope < 'ffffffff-0000-0000-0000-000000000000' then
    raise exception 'only a synthetic scope is removed, by a worker' using errcode = 'insufficient_privilege';
  end if;
  foreach t in array array['drill_effects', 'replay_items', 'replay_refusals', 'replay_requests', 'inbox_deliveries', 'inbox_sequences', 'inbox',
    'delivery_notes', 'delivery_tasks', 'delivery_groups', 'audit_entries', 'user_roles', 'users', 'planning_weights', 'fact_changes',
    'planning_scopes', 'clinics']
  loop
    execute format('delete from %I where tenant_group_id = $1', t) using scope;
  end loop;
  delete from tenant_groups where id = scope;
end $$;
