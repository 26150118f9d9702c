-- What the tables cannot say by themselves: row-level security, grants, triggers, the two look-ups of sign-in.
-- Safe beside a running older version: yes (first release).

-- Settings of the transaction, made by SET LOCAL in withTx and withRead. '' (what a session reads after a transaction that had set it) counts as unset.
create function app_tenant() returns uuid stable language sql
  return nullif(current_setting('app.tenant_group_id', true), '')::uuid;
create function app_clinics() returns uuid[] stable language sql
  return string_to_array(nullif(current_setting('app.clinic_ids', true), ''), ',')::uuid[];
create function app_worker() returns text stable language sql
  return nullif(current_setting('app.worker', true), '');

-- One policy for each role on every tenant table. web sees its tenant (and its clinics); worker sees all tenants until it switches to one.
do $$
declare
  t text;
  web_scope text;
  worker_scope text;
begin
  foreach t in array array[
    'tenant_groups', 'users', 'user_roles', 'api_clients', 'api_tokens', 'resources', 'patients', 'audit_entries', 'clinics',
    'planning_scopes', 'doctors', 'clinic_hours', 'doctor_hours', 'breaks', 'closures', 'absences', 'holidays', 'equipment', 'resource_outages',
    'treatments', 'treatment_needs', 'treatment_need_options', 'appointments', 'appointment_equipment', 'resource_claims', 'appointment_history',
    'daily_load_visits', 'daily_load', 'idempotency_keys', 'command_calls', 'outbox', 'inbox', 'inbox_deliveries', 'inbox_sequences',
    'notification_intents', 'notification_deliveries', 'mailbox_messages', 'reminders']
  loop
    web_scope := case t
      when 'tenant_groups' then 'id = (select app_tenant())'
      when 'clinics' then 'tenant_group_id = (select app_tenant()) and id = any ((select app_clinics())::uuid[])'
      when 'audit_entries' then 'tenant_group_id = (select app_tenant()) and (clinic_id is null or clinic_id = any ((select app_clinics())::uuid[]))'
      else 'tenant_group_id = (select app_tenant())'
        || case when t in ('users', 'user_roles', 'api_clients', 'api_tokens', 'resources', 'patients') then ''
           else ' and clinic_id = any ((select app_clinics())::uuid[])' end
    end;
    worker_scope := '(select app_worker()) is not null and ((select app_tenant()) is null or '
      || case when t = 'tenant_groups' then 'id' else 'tenant_group_id' end || ' = (select app_tenant()))';
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy migrator_all on %I to aops_migrator using (true) with check (true)', t);
    execute format('create policy web_scope on %I to aops_web using (%s) with check (%s)', t, web_scope, web_scope);
    execute format('create policy worker_scope on %I to aops_worker using (%s) with check (%s)', t, worker_scope, worker_scope);
    if t <> 'mailbox_messages' then
      execute format('grant select on %I to aops_web', t);
    end if;
    execute format('grant select on %I to aops_worker', t);
  end loop;

  foreach t in array array['worker_heartbeats', 'inbox_rejections'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy migrator_all on %I to aops_migrator using (true) with check (true)', t);
    execute format('create policy web_reads on %I for select to aops_web using (true)', t);
    execute format('create policy worker_scope on %I to aops_worker using ((select app_worker()) is not null) with check ((select app_worker()) is not null)', t);
    execute format('grant select on %I to aops_web', t);
    execute format('grant select, insert, update, delete on %I to aops_worker', t);
  end loop;
end $$;

-- Before a person's clinics are known (loadActor), the directory of clinics of the own tenant group can be read; never written.
create policy web_directory on clinics for select to aops_web
  using (tenant_group_id = (select app_tenant()) and (select app_clinics()) is null);

-- web: commands, set-up and sign-in. Append-only tables are never updated or deleted by anyone but the migrator.
grant insert, update on tenant_groups, users, api_clients, api_tokens, resources, patients, clinics, idempotency_keys, appointments to aops_web;
grant insert, update, delete on user_roles, doctors, clinic_hours, doctor_hours, breaks, closures, absences, holidays, equipment, resource_outages,
  treatments, treatment_needs, treatment_need_options, appointment_equipment, resource_claims to aops_web;
grant update on planning_scopes to aops_web; -- also what SELECT … FOR SHARE asks for
grant insert on appointment_history, command_calls, outbox, notification_intents, audit_entries to aops_web;
grant select (intent_id, tenant_group_id, clinic_id, received_at) on mailbox_messages to aops_web;
grant select, insert, update, delete on rate_limits to aops_web;
grant select on log_identity, log_partitions, log_group_offsets to aops_web; -- watermarks; never the records

-- worker: drains what the commands left
grant update on outbox, notification_intents, users to aops_worker;
grant insert, update, delete on inbox, inbox_sequences, daily_load, daily_load_visits, reminders to aops_worker;
grant insert on inbox_deliveries, notification_deliveries, notification_intents, mailbox_messages, audit_entries to aops_worker;
grant update (told_placement_version) on appointments to aops_worker;
grant delete, update (expires_at) on idempotency_keys to aops_worker; -- update: what SELECT … FOR UPDATE of the sweep asks for
grant select, insert, update, delete on log_partitions, log_records, log_group_offsets, log_group_members to aops_worker;
grant select on log_identity to aops_worker;

insert into log_identity (id) values ('pg-' || uuidv7());

-- Double booking is impossible here, for any mix of limits and outages, at any isolation level. SECURITY DEFINER, owned by the migrator: as invoker
-- it would count only the claims of the actor's own clinics, and a doctor or patient of two clinics could be booked twice.
create function claims_within_seats() returns trigger
language plpgsql security definer set search_path = pg_catalog, public as $$
declare
  own int;
  clash record;
begin
  -- writers of one resource meet here: they wait, or get 40001 when their snapshot is older
  update resources set claims_seq = claims_seq + 1
  where id = new.resource_id and tenant_group_id = new.tenant_group_id
  returning seats into own;
  if own is null then
    raise exception 'resource % is not one of this tenant group', new.resource_id using errcode = 'foreign_key_violation';
  end if;
  if new.overridden then
    return null;
  end if;
  -- the count can only rise where a claim starts, the limit only fall where an outage starts
  select p.at, count(*) as taken,
         min(case when p.units = 0 then coalesce(c.seats, own) else least(coalesce(c.seats, own), own - p.units) end) as allowed
  into clash
  from (
    select at, (select coalesce(sum(o.units), 0) from resource_outages o where o.resource_id = new.resource_id and o.during @> at) as units
    from (
      select lower(new.during) as at
      union
      select lower(during) from resource_claims
      where resource_id = new.resource_id and not overridden and during && new.during and lower(during) <@ new.during
      union
      select lower(during) from resource_outages
      where resource_id = new.resource_id and during && new.during and lower(during) <@ new.during
    ) starts
  ) p
  join resource_claims c on c.resource_id = new.resource_id and not c.overridden and c.during @> p.at
  group by p.at
  having count(*) > min(case when p.units = 0 then coalesce(c.seats, own) else least(coalesce(c.seats, own), own - p.units) end)
  limit 1;
  if found then
    raise exception 'resource % allows % at %', new.resource_id, clash.allowed, clash.at
      using errcode = 'exclusion_violation', constraint = 'claims_within_seats', detail = new.resource_id::text;
  end if;
  return null;
end $$;

create constraint trigger claims_within_seats
  after insert or update of resource_id, during, seats, overridden on resource_claims
  deferrable initially immediate for each row execute function claims_within_seats();

-- What keeps resources busy. A doctor or patient of two clinics is one resource: under the clinic policies a reader would see its own clinic's claims
-- only, and offer a time that the trigger then refuses. Of another clinic's visit it tells the time, never which visit. SECURITY DEFINER, so the tenant
-- is checked here.
create function busy_claims(resource_ids uuid[], from_at timestamptz, until_at timestamptz)
returns table (resource_id uuid, appointment_id uuid, during tstzrange, seats int, overridden boolean)
language sql stable security definer set search_path = pg_catalog, public as $$
  select c.resource_id,
         case when app_worker() is not null or c.clinic_id = any (app_clinics()) then c.appointment_id end,
         c.during, c.seats, c.overridden
  from unnest(resource_ids) wanted (id)
  join resource_claims c on c.resource_id = wanted.id and c.during && tstzrange(from_at, until_at)
  where c.tenant_group_id = app_tenant() or (app_tenant() is null and app_worker() is not null)
$$;

-- No "in progress" key is ever committed: a key row without its answer ends the transaction that made it or took it over.
create function idempotency_key_answered() returns trigger
language plpgsql security definer set search_path = pg_catalog, public as $$
begin
  if exists (
    select 1 from idempotency_keys
    where tenant_group_id = new.tenant_group_id and clinic_id = new.clinic_id and caller = new.caller and key = new.key and status is null
  ) then
    raise exception 'a key was taken and not answered' using errcode = 'check_violation', constraint = 'idempotency_keys_answered';
  end if;
  return null;
end $$;

create constraint trigger idempotency_keys_answered
  after insert or update of command_id on idempotency_keys
  deferrable initially deferred for each row execute function idempotency_key_answered();

-- Every fact write bumps the clinic's planning scope, whoever writes and at whatever isolation.
create function bump_planning_scope() returns trigger
language plpgsql security definer set search_path = pg_catalog, public as $$
begin
  if tg_op <> 'DELETE' then
    update planning_scopes set fact_version = fact_version + 1 where clinic_id = new.clinic_id;
  end if;
  if tg_op = 'DELETE' or (tg_op = 'UPDATE' and old.clinic_id <> new.clinic_id) then
    update planning_scopes set fact_version = fact_version + 1 where clinic_id = old.clinic_id;
  end if;
  return null;
end $$;

do $$
declare
  t text;
begin
  foreach t in array array['doctors', 'clinic_hours', 'doctor_hours', 'breaks', 'closures', 'absences', 'holidays', 'equipment',
    'resource_outages', 'treatments', 'treatment_needs', 'treatment_need_options']
  loop
    execute format('create trigger bump_planning_scope after insert or update or delete on %I for each row execute function bump_planning_scope()', t);
  end loop;
end $$;

-- A clinic is born with its planning scope, and its own zone, grid and limits are facts too.
create function clinic_planning_scope() returns trigger
language plpgsql security definer set search_path = pg_catalog, public as $$
begin
  if tg_op = 'INSERT' then
    insert into planning_scopes (tenant_group_id, clinic_id) values (new.tenant_group_id, new.id);
  else
    update planning_scopes set fact_version = fact_version + 1 where clinic_id = new.id;
  end if;
  return null;
end $$;
create trigger clinic_planning_scope after insert or update on clinics for each row execute function clinic_planning_scope();

-- Whoever adds an outage meets the bookings of that resource.
create function outage_meets_claims() returns trigger
language plpgsql security definer set search_path = pg_catalog, public as $$
begin
  update resources set claims_seq = claims_seq + 1 where id = coalesce(new.resource_id, old.resource_id);
  return null;
end $$;
create trigger outage_meets_claims after insert or update or delete on resource_outages for each row execute function outage_meets_claims();

-- The two look-ups that come before any tenant is known. They answer one exact key and nothing else.
create function auth_find_user(wanted_email text)
returns table (id uuid, tenant_group_id uuid, password_hash text, disabled boolean)
language sql stable security definer set search_path = pg_catalog, public as $$
  select u.id, u.tenant_group_id, u.password_hash, u.disabled_at is not null
  from users u
  where lower(u.email) = lower(wanted_email)
$$;

create function auth_find_token(wanted_hash text)
returns table (id uuid, tenant_group_id uuid, api_client_id uuid, client_ref text, clinic_ids uuid[], commands text[])
language sql stable security definer set search_path = pg_catalog, public as $$
  select t.id, t.tenant_group_id, t.api_client_id, c.ref, t.clinic_ids, t.commands
  from api_tokens t
  join api_clients c on c.id = t.api_client_id
  where t.token_hash = wanted_hash and t.revoked_at is null and c.disabled_at is null
    and (t.expires_at is null or t.expires_at > clock_timestamp())
$$;

revoke execute on all functions in schema public from public;
grant execute on function app_tenant(), app_clinics(), app_worker() to aops_web, aops_worker;
grant execute on function auth_find_user(text), auth_find_token(text) to aops_web;
grant execute on function busy_claims(uuid[], timestamptz, timestamptz) to aops_web, aops_worker;

-- Queue tables see many updates: vacuum them early.
alter table outbox set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
alter table inbox set (autovacuum_vacuum_scale_factor = 0.02);
alter table notification_intents set (autovacuum_vacuum_scale_factor = 0.02);
alter table resources set (fillfactor = 70);
alter table planning_scopes set (fillfactor = 70);
