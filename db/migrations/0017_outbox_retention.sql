-- Published rows leave the outbox after their retention; who announced what and where it lies stays in publications, without the payload.
-- Safe beside a running older version: yes. It removes nothing; stories that it shows miss the events that left meanwhile.
CREATE TABLE "publications" (
	"event_id" uuid PRIMARY KEY NOT NULL,
	"tenant_group_id" uuid NOT NULL,
	"clinic_id" uuid NOT NULL,
	"command_id" uuid NOT NULL,
	"topic" text NOT NULL,
	"aggregate_type" text NOT NULL,
	"aggregate_id" uuid NOT NULL,
	"aggregate_seq" bigint NOT NULL,
	"type" text NOT NULL,
	"schema_version" smallint NOT NULL,
	"attempts" integer NOT NULL,
	"log_id" text NOT NULL,
	"log_partition" integer NOT NULL,
	"log_offset" bigint NOT NULL,
	"occurred_at" timestamp with time zone NOT NULL,
	"published_at" timestamp with time zone NOT NULL,
	"left_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "publications_sequence_key" UNIQUE("aggregate_type","aggregate_id","aggregate_seq")
);
--> statement-breakpoint
CREATE INDEX "publications_command" ON "publications" USING btree ("command_id");
--> statement-breakpoint
do $$
declare
  web_scope text := 'tenant_group_id = (select app_tenant()) and clinic_id = any ((select app_clinics())::uuid[])';
  worker_scope text := '(select app_worker()) is not null and ((select app_tenant()) is null or tenant_group_id = (select app_tenant()))';
begin
  alter table publications enable row level security;
  alter table publications force row level security;
  create policy migrator_all on publications to aops_migrator using (true) with check (true);
  execute format('create policy web_scope on publications to aops_web using (%s) with check (%s)', web_scope, web_scope);
  execute format('create policy worker_scope on publications to aops_worker using (%s) with check (%s)', worker_scope, worker_scope);
  perform keep_synthetic_apart('publications'::regclass);
end $$;
--> statement-breakpoint
grant select on publications to aops_web, aops_worker;
--> statement-breakpoint
grant insert on publications to aops_worker; -- the sweep moves a row: one statement deletes it there and writes it here
--> statement-breakpoint
grant delete on outbox to aops_worker;
--> statement-breakpoint
-- Every event that was announced, whether its row is still in the outbox (left_at is null) or has left. Read with the rights of who asks.
create view announced_events with (security_invoker = true) as
  select event_id, tenant_group_id, clinic_id, command_id, topic, aggregate_type, aggregate_id, aggregate_seq, type, schema_version, state, attempts,
    fence, next_attempt_at, reason_code, log_id, log_partition, log_offset, occurred_at, published_at, null::timestamptz as left_at
  from outbox
  union all
  select event_id, tenant_group_id, clinic_id, command_id, topic, aggregate_type, aggregate_id, aggregate_seq, type, schema_version, 'PUBLISHED', attempts,
    null::bigint, null::timestamptz, null, log_id, log_partition, log_offset, occurred_at, published_at, left_at
  from publications;
--> statement-breakpoint
grant select on announced_events to aops_web, aops_worker;
--> statement-breakpoint
-- outbox_sequence_key holds among the rows that are there; this one holds it against those that have left. After the insert, so that it waits for a sweep
-- that has the same key in its hands. The name of the key is what callers know it by.
create function outbox_sequence_once() returns trigger
language plpgsql security definer set search_path = pg_catalog, public as $$
begin
  if exists (
    select from publications p
    where p.aggregate_type = new.aggregate_type and p.aggregate_id = new.aggregate_id and p.aggregate_seq = new.aggregate_seq
  ) then
    raise exception 'an event with this sequence has been published and has left the outbox'
      using errcode = 'unique_violation', table = 'outbox', constraint = 'outbox_sequence_key';
  end if;
  return null;
end $$;
--> statement-breakpoint
revoke execute on function outbox_sequence_once() from public;
--> statement-breakpoint
create trigger outbox_sequence_once after insert on outbox for each row execute function outbox_sequence_once();
--> statement-breakpoint
-- Tables whose rows are updated or deleted as work goes on are vacuumed after 2 % of dead rows, not after 20 %: a claim reads past every dead entry.
-- outbox, inbox, notification_intents and delivery_groups have it since they were made. server/domain/operations/vacuum-facts.ts lists the same tables.
do $$
declare
  t text;
begin
  foreach t in array array['idempotency_keys', 'inbox_sequences', 'reminders', 'replay_requests', 'replay_items', 'delivery_tasks', 'planning_runs',
    'log_group_offsets'] loop
    execute format('alter table %I set (autovacuum_vacuum_scale_factor = 0.02)', t);
  end loop;
end $$;
--> statement-breakpoint
-- How far back the oldest transaction keeps dead rows from being removed: in transactions, and in seconds since it began. Other roles' sessions are hidden
-- from a worker, so the owner of the tables is asked; nothing but two numbers comes back. Null when the owner may not see them (db:bootstrap lets it).
create function vacuum_horizon() returns table (xmin_age bigint, oldest_seconds float8)
language plpgsql stable security definer set search_path = pg_catalog, public as $$
begin
  if not pg_has_role(current_user, 'pg_read_all_stats', 'usage') then
    return query select null::bigint, null::float8;
    return;
  end if;
  return query
    select coalesce(max(h.age), 0)::bigint, coalesce(max(extract(epoch from clock_timestamp() - h.since)), 0)::float8
    from (
      select greatest(age(a.backend_xmin), age(a.backend_xid)) as age, a.xact_start as since
      from pg_stat_activity a
      where num_nonnulls(a.backend_xmin, a.backend_xid) > 0 and a.pid <> pg_backend_pid()
        and (a.datname = current_database() or a.datname is null)
      union all
      select age(s.xmin), null from pg_replication_slots s where s.xmin is not null
      union all
      select age(x.transaction), x.prepared from pg_prepared_xacts x where x.database = current_database()
    ) h;
end $$;
--> statement-breakpoint
revoke execute on function vacuum_horizon() from public;
--> statement-breakpoint
grant execute on function vacuum_horizon() to aops_worker;
