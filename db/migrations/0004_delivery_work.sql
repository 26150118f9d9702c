-- Tasks, notes, reason groups and saved views of STAFF, kept beside inbox and outbox by triggers; an index for the waiting part of the queue.
-- Safe beside a running older version: yes. Building the index holds up writers of inbox for as long as it takes.
CREATE TABLE "delivery_groups" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"row_kind" text NOT NULL,
	"consumer" text NOT NULL,
	"reason_code" text NOT NULL,
	"open" integer NOT NULL,
	"kept" integer NOT NULL,
	CONSTRAINT "delivery_groups_key" UNIQUE("clinic_id","row_kind","consumer","reason_code"),
	CONSTRAINT "delivery_groups_counts" CHECK (open >= 0 and kept >= 0)
);
--> statement-breakpoint
CREATE TABLE "delivery_notes" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"row_kind" text NOT NULL,
	"row_id" uuid NOT NULL,
	"act" text NOT NULL,
	"text" text,
	"author_id" uuid NOT NULL,
	"author_ref" text NOT NULL,
	"to_ref" text,
	"for_at" timestamp with time zone,
	"row_version" bigint NOT NULL,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "delivery_notes_kind" CHECK (row_kind in ('inbox', 'outbox')),
	CONSTRAINT "delivery_notes_act" CHECK (act in ('ASSIGNED', 'HANDED_OVER', 'NOTED', 'RETRY_SCHEDULED', 'KEPT', 'PUBLISH_RETRIED', 'PUBLISH_SKIPPED', 'SEQUENCE_RELEASED')),
	CONSTRAINT "delivery_notes_text" CHECK (length(text) between 1 and 500),
	CONSTRAINT "delivery_notes_words" CHECK (act in ('ASSIGNED', 'RETRY_SCHEDULED') or text is not null),
	CONSTRAINT "delivery_notes_to" CHECK ((act = 'HANDED_OVER') = (to_ref is not null)),
	CONSTRAINT "delivery_notes_for" CHECK ((act = 'RETRY_SCHEDULED') = (for_at is not null))
);
--> statement-breakpoint
CREATE TABLE "delivery_tasks" (
	"row_id" uuid PRIMARY KEY NOT NULL,
	"row_kind" text NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"consumer" text NOT NULL,
	"reason_code" text NOT NULL,
	"status" text DEFAULT 'OPEN' NOT NULL,
	"version" bigint DEFAULT 1 NOT NULL,
	"row_version" bigint NOT NULL,
	"stopped_at" timestamp with time zone NOT NULL,
	"assignee_id" uuid,
	"assignee_ref" text,
	"kept_at" timestamp with time zone,
	"kept_by_ref" text,
	"kept_reason" text,
	CONSTRAINT "delivery_tasks_kind" CHECK (row_kind in ('inbox', 'outbox')),
	CONSTRAINT "delivery_tasks_status" CHECK (status in ('OPEN', 'KEPT', 'CLOSED')),
	CONSTRAINT "delivery_tasks_kept" CHECK (num_nonnulls(kept_at, kept_by_ref, kept_reason) = case status when 'KEPT' then 3 else 0 end),
	CONSTRAINT "delivery_tasks_assignee" CHECK ((assignee_id is null) = (assignee_ref is null))
);
--> statement-breakpoint
CREATE TABLE "delivery_views" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid,
	"owner_id" uuid NOT NULL,
	"owner_ref" text NOT NULL,
	"name" text NOT NULL,
	"filter" jsonb NOT NULL,
	"shared" boolean NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "delivery_views_name" UNIQUE NULLS NOT DISTINCT("tenant_group_id","owner_id","clinic_id","name"),
	CONSTRAINT "delivery_views_shared_in" CHECK (not shared or clinic_id is not null),
	CONSTRAINT "delivery_views_name_length" CHECK (length(name) between 1 and 40),
	CONSTRAINT "delivery_views_filter" CHECK (jsonb_typeof(filter) = 'object')
);
--> statement-breakpoint
CREATE INDEX "delivery_notes_row" ON "delivery_notes" USING btree ("row_id","at");--> statement-breakpoint
CREATE INDEX "delivery_tasks_open" ON "delivery_tasks" USING btree ("clinic_id","stopped_at","row_id") WHERE status = 'OPEN';--> statement-breakpoint
CREATE INDEX "delivery_tasks_kept" ON "delivery_tasks" USING btree ("clinic_id","kept_at","row_id") WHERE status = 'KEPT';--> statement-breakpoint
CREATE INDEX "delivery_tasks_mine" ON "delivery_tasks" USING btree ("assignee_id","stopped_at","row_id") WHERE status = 'OPEN';--> statement-breakpoint
CREATE INDEX "delivery_tasks_group" ON "delivery_tasks" USING btree ("clinic_id","row_kind","consumer","reason_code","stopped_at") WHERE status = 'OPEN';--> statement-breakpoint
CREATE INDEX "delivery_views_shared" ON "delivery_views" USING btree ("clinic_id") WHERE shared;--> statement-breakpoint
CREATE INDEX "inbox_waiting" ON "inbox" USING btree ("clinic_id",coalesce(next_attempt_at, 'infinity'::timestamptz),"id") WHERE state = 'RETRYABLE';
--> statement-breakpoint
do $$
declare
  t text;
  web_scope text;
  worker_scope text := '(select app_worker()) is not null and ((select app_tenant()) is null or tenant_group_id = (select app_tenant()))';
begin
  foreach t in array array['delivery_tasks', 'delivery_groups', 'delivery_notes', 'delivery_views'] loop
    web_scope := 'tenant_group_id = (select app_tenant()) and '
      || case t when 'delivery_views' then '(clinic_id is null or clinic_id = any ((select app_clinics())::uuid[]))'
         else 'clinic_id = any ((select app_clinics())::uuid[])' end;
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy migrator_all on %I to aops_migrator using (true) with check (true)', t);
    execute format('create policy web_scope on %1$I to aops_web using (%2$s) with check (%2$s)', t, web_scope);
    execute format('create policy worker_scope on %1$I to aops_worker using (%2$s) with check (%2$s)', t, worker_scope);
    execute format('grant select on %I to aops_web, aops_worker', t);
  end loop;
end $$;
--> statement-breakpoint
-- STAFF move what stopped or waits; identity, scope, digest, position and attempts of a row stay the workers'.
grant update (next_attempt_at, reason_code, blocked_by, version, updated_at) on inbox to aops_web;
--> statement-breakpoint
grant insert, update on inbox_sequences to aops_web;
--> statement-breakpoint
grant update (state, next_attempt_at) on outbox to aops_web;
--> statement-breakpoint
grant update (status, version, assignee_id, assignee_ref, kept_at, kept_by_ref, kept_reason) on delivery_tasks to aops_web;
--> statement-breakpoint
grant insert on delivery_notes to aops_web;
--> statement-breakpoint
grant insert, update, delete on delivery_views to aops_web;
--> statement-breakpoint
-- A row that stops is a task at once, in the transaction that stops it, whoever writes it; a kept one whose row changes is open again; one whose row
-- moves on is closed and keeps its assignee, should it come back. SECURITY DEFINER: workers move tasks by moving rows, and in no other way.
create function delivery_task_follows_row() returns trigger
language plpgsql security definer set search_path = pg_catalog, public as $$
begin
  if tg_op = 'DELETE' then
    delete from delivery_tasks where row_id = (case tg_table_name when 'inbox' then to_jsonb(old) ->> 'id' else to_jsonb(old) ->> 'event_id' end)::uuid;
  elsif tg_table_name = 'inbox' then
    if new.state = 'QUARANTINED' then
      insert into delivery_tasks as d (row_id, row_kind, tenant_group_id, clinic_id, consumer, reason_code, row_version, stopped_at)
      values (new.id, 'inbox', new.tenant_group_id, new.clinic_id, new.consumer, new.reason_code, new.version, new.quarantined_at)
      on conflict (row_id) do update
      set status = 'OPEN', reason_code = excluded.reason_code, row_version = excluded.row_version, stopped_at = excluded.stopped_at,
          kept_at = null, kept_by_ref = null, kept_reason = null, version = d.version + 1
      where d.row_version <> excluded.row_version; -- a copy that arrives moves only the last position: nothing to decide anew
    else
      update delivery_tasks
      set status = 'CLOSED', row_version = new.version, kept_at = null, kept_by_ref = null, kept_reason = null, version = version + 1
      where row_id = new.id;
    end if;
  elsif new.state = 'FAILED' then
    insert into delivery_tasks as d (row_id, row_kind, tenant_group_id, clinic_id, consumer, reason_code, row_version, stopped_at)
    values (new.event_id, 'outbox', new.tenant_group_id, new.clinic_id, 'outbox-relay', new.reason_code, new.fence, clock_timestamp())
    on conflict (row_id) do update
    set status = 'OPEN', reason_code = excluded.reason_code, row_version = excluded.row_version, stopped_at = excluded.stopped_at,
        kept_at = null, kept_by_ref = null, kept_reason = null, version = d.version + 1;
  else
    update delivery_tasks set status = 'CLOSED', row_version = new.fence, version = version + 1 where row_id = new.event_id;
  end if;
  return null;
end $$;
--> statement-breakpoint
create trigger delivery_task_opens after insert on inbox for each row when (new.state = 'QUARANTINED') execute function delivery_task_follows_row();
--> statement-breakpoint
create trigger delivery_task_moves after update on inbox for each row
  when (old.state = 'QUARANTINED' or new.state = 'QUARANTINED') execute function delivery_task_follows_row();
--> statement-breakpoint
create trigger delivery_task_ends after delete on inbox for each row when (old.state = 'QUARANTINED') execute function delivery_task_follows_row();
--> statement-breakpoint
create trigger delivery_task_opens after insert on outbox for each row when (new.state = 'FAILED') execute function delivery_task_follows_row();
--> statement-breakpoint
create trigger delivery_task_moves after update on outbox for each row
  when ((old.state = 'FAILED' or new.state = 'FAILED') and old.state <> new.state) execute function delivery_task_follows_row();
--> statement-breakpoint
create trigger delivery_task_ends after delete on outbox for each row when (old.state = 'FAILED') execute function delivery_task_follows_row();
--> statement-breakpoint
-- Counts of a reason group move with its tasks, so a page of groups reads one row for each reason, however many rows stopped for it.
create function delivery_group_counts() returns trigger
language plpgsql security definer set search_path = pg_catalog, public as $$
begin
  if tg_op <> 'INSERT' and old.status <> 'CLOSED' then
    update delivery_groups
    set open = open - (old.status = 'OPEN')::int, kept = kept - (old.status = 'KEPT')::int
    where clinic_id = old.clinic_id and row_kind = old.row_kind and consumer = old.consumer and reason_code = old.reason_code;
  end if;
  if tg_op <> 'DELETE' and new.status <> 'CLOSED' then
    insert into delivery_groups as g (tenant_group_id, clinic_id, row_kind, consumer, reason_code, open, kept)
    values (new.tenant_group_id, new.clinic_id, new.row_kind, new.consumer, new.reason_code, (new.status = 'OPEN')::int, (new.status = 'KEPT')::int)
    on conflict on constraint delivery_groups_key do update set open = g.open + excluded.open, kept = g.kept + excluded.kept;
  end if;
  return null;
end $$;
--> statement-breakpoint
create trigger delivery_group_counts_new after insert or delete on delivery_tasks for each row execute function delivery_group_counts();
--> statement-breakpoint
create trigger delivery_group_counts_move after update on delivery_tasks for each row
  when (old.status <> new.status or old.reason_code <> new.reason_code) execute function delivery_group_counts();
--> statement-breakpoint
-- What stopped before this release.
insert into delivery_tasks (row_id, row_kind, tenant_group_id, clinic_id, consumer, reason_code, row_version, stopped_at)
select id, 'inbox', tenant_group_id, clinic_id, consumer, reason_code, version, quarantined_at from inbox where state = 'QUARANTINED'
union all
select event_id, 'outbox', tenant_group_id, clinic_id, 'outbox-relay', reason_code, fence, occurred_at from outbox where state = 'FAILED';
--> statement-breakpoint
alter table delivery_groups set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
