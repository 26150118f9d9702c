-- The planning worker holds the role of whoever ordered an apply until it has ended: one that is taken away just now is seen, or waits.
-- Safe beside a running older version: yes.
-- A connection of a worker may hold the roles of a drill's operator only, so this one question is asked by the owner of the tables.
create function hold_role(person uuid, clinic uuid, wanted text) returns boolean
language plpgsql security definer set search_path = pg_catalog, public as $$
begin
  if app_worker() is null then
    raise exception 'a role is held by a worker' using errcode = 'insufficient_privilege';
  end if;
  perform 1
  from users u
  join user_roles r on r.user_id = u.id and r.tenant_group_id = u.tenant_group_id
  where u.id = person and u.disabled_at is null and r.role = wanted and (r.clinic_id is null or r.clinic_id = clinic)
    and ((select app_tenant()) is null or u.tenant_group_id = (select app_tenant()))
  for share of u, r;
  return found;
end $$;
--> statement-breakpoint
revoke execute on function hold_role(uuid, uuid, text) from public;
--> statement-breakpoint
grant execute on function hold_role(uuid, uuid, text) to aops_worker;
