/** What must hold in the records at any moment between two transactions, whatever was retried, redelivered, killed or raced. */
export type Invariant = {
  name: string;
  /** Selects the offenders as `id` and `detail` (opaque references and counts only); none when it holds. */
  sql: string;
};

export const invariants: Invariant[] = [
  {
    name: "a visit has one history row for each of its versions",
    sql: `
      select a.id, 'version ' || a.version || ', history rows ' || h.rows as detail
      from appointments a
      cross join lateral (
        select count(*) as rows, coalesce(min(version), 0) as first, coalesce(max(version), 0) as last
        from appointment_history h where h.appointment_id = a.id
      ) h
      where h.rows <> a.version or h.first <> 1 or h.last <> a.version`,
  },
  {
    name: "a visit is what its last history row made it",
    sql: `
      select a.id, a.status || ' against ' || h.to_status as detail
      from appointments a
      join appointment_history h on h.appointment_id = a.id and h.version = a.version
      where (h.to_status, h.to_starts_at, h.to_doctor_id, h.command_id) is distinct from (a.status, a.starts_at, a.doctor_id, a.command_id)`,
  },
  {
    name: "each history row starts where the one before ended",
    sql: `
      select h.id, 'version ' || h.version as detail
      from appointment_history h
      join appointment_history before on before.appointment_id = h.appointment_id and before.version = h.version - 1
      where h.from_status is distinct from before.to_status
         or (h.from_starts_at is not null and h.from_starts_at <> before.to_starts_at)
         or (h.from_doctor_id is not null and h.from_doctor_id <> before.to_doctor_id)`,
  },
  {
    name: "one command changes a visit once",
    sql: `
      select h.command_id as id, count(*) || ' changes' as detail
      from appointment_history h
      group by h.command_id
      -- a plan moves many visits by one command, each of them once
      having count(*) > count(distinct h.appointment_id)
        or (count(*) > 1 and not exists (select from planning_runs r where r.apply_command_id = h.command_id))`,
  },
  {
    // a doctor's claim is wider than the visit by buffers that may have changed since; every other one is exact
    name: "a visit claims its doctor, patient, devices and clinic exactly while it holds them",
    sql: `
      with visit as (
        select *, tstzrange(starts_at, ends_at) as during from appointments
      ), held as (
        select * from visit where status in ('REQUESTED', 'CONFIRMED', 'CHECKED_IN', 'IN_PROGRESS')
      ), needed as (
        select h.id, d.resource_id, h.during from held h join doctors d on d.id = h.doctor_id
        union all
        select h.id, p.resource_id, h.during from held h join patients p on p.id = h.patient_id
        union all
        select h.id, q.resource_id, e.during
        from held h join appointment_equipment e on e.appointment_id = h.id join equipment q on q.id = e.equipment_id
        union all
        select h.id, k.resource_id, h.during from held h join clinics k on k.id = h.clinic_id where k.resource_id is not null
      ), claimed as (
        select v.id, c.resource_id, case when c.resource_id = d.resource_id and c.during @> v.during then v.during else c.during end as during
        from resource_claims c join visit v on v.id = c.appointment_id join doctors d on d.id = v.doctor_id
      ), differs as (
        select *, 'needs and does not claim' as how from (select * from needed except all select * from claimed) missing
        union all
        select *, 'claims and does not need' from (select * from claimed except all select * from needed) extra
      )
      select x.id, v.status || ', ' || x.how || ' its ' || r.kind || ' at ' || lower(x.during) as detail
      from differs x join visit v on v.id = x.id join resources r on r.id = x.resource_id`,
  },
  {
    name: "no resource is claimed beyond its seats",
    sql: `
      select c.resource_id as id, count(*) || ' claims, ' || min(coalesce(o.seats, r.seats)) || ' seats at ' || lower(c.during) as detail
      from resource_claims c
      join resources r on r.id = c.resource_id
      join resource_claims o on o.resource_id = c.resource_id and not o.overridden and o.during @> lower(c.during)
      where not c.overridden
      group by c.id, c.resource_id, c.during
      having count(*) > min(coalesce(o.seats, r.seats))`,
  },
  {
    name: "each change announces itself once, under its version and command",
    sql: `
      select coalesce(h.appointment_id, o.aggregate_id) as id, 'version ' || coalesce(h.version, o.aggregate_seq) as detail
      from appointment_history h
      full join (select * from announced_events where aggregate_type = 'appointment') o
        on o.aggregate_id = h.appointment_id and o.aggregate_seq = h.version
      where h.command_id is distinct from o.command_id`,
  },
  {
    name: "events of imported changes, and no others, were kept from the log as IMPORTED",
    sql: `
      select o.event_id as id, o.state || ' of ' || h.source as detail
      from outbox o
      join appointment_history h on h.appointment_id = o.aggregate_id and h.version = o.aggregate_seq
      where o.aggregate_type = 'appointment'
        and (o.state = 'SKIPPED' and o.reason_code = 'IMPORTED') <> (h.source = 'IMPORT')`,
  },
  {
    name: "a command was called first once",
    sql: `
      select k.command_id as id, count(c.id) || ' first calls' as detail
      from idempotency_keys k
      left join command_calls c on c.command_id = k.command_id and c.outcome = 'FIRST'
      group by k.command_id
      having count(c.id) <> 1`,
  },
  {
    name: "no event of a visit is in the log before an earlier one",
    sql: `
      select o.event_id as id, 'sequence ' || o.aggregate_seq as detail
      from announced_events o
      where o.state = 'PUBLISHED' and exists (
        select from outbox e
        where e.aggregate_type = o.aggregate_type and e.aggregate_id = o.aggregate_id and e.aggregate_seq < o.aggregate_seq
          and e.state not in ('PUBLISHED', 'SKIPPED'))`,
  },
  {
    name: "an event whose row has left the outbox was finished by every consumer that took it, and is not in the outbox too",
    sql: `
      select p.event_id as id, coalesce('with ' || i.consumer || ' ' || i.state, 'in the outbox too') as detail
      from publications p
      left join inbox i on i.event_id = p.event_id and i.state <> 'PROCESSED'
      left join outbox o on o.event_id = p.event_id
      where i.id is not null or o.event_id is not null`,
  },
  {
    name: "an event has its effect in a consumer once",
    sql: `
      select i.id, i.state || ', effects ' || d.effects as detail
      from inbox i
      cross join lateral (select count(*) as effects from inbox_deliveries d where d.inbox_id = i.id and d.outcome = 'PROCESSED') d
      where d.effects <> (i.state = 'PROCESSED')::int`,
  },
  {
    name: "a row that stopped is a task of STAFF, and no other row is one",
    sql: `
      select coalesce(s.id, t.row_id) as id, coalesce(s.state, 'moved on') || ', task ' || coalesce(t.status, 'missing') as detail
      from (
        select id, state from inbox where state = 'QUARANTINED'
        union all
        select event_id, state from outbox where state = 'FAILED'
      ) s
      full join (select row_id, status from delivery_tasks where status <> 'CLOSED') t on t.row_id = s.id
      where s.id is null or t.row_id is null`,
  },
  {
    name: "a reason group counts its tasks",
    sql: `
      select g.id, g.open || ' and ' || g.kept || ' counted, tasks ' || count(t.row_id) as detail
      from delivery_groups g
      left join delivery_tasks t
        on t.clinic_id = g.clinic_id and t.row_kind = g.row_kind and t.consumer = g.consumer and t.reason_code = g.reason_code
          and t.status <> 'CLOSED'
      group by g.id
      having g.open <> count(t.row_id) filter (where t.status = 'OPEN') or g.kept <> count(t.row_id) filter (where t.status = 'KEPT')`,
  },
  {
    name: "an intent that counts as sent was delivered once",
    sql: `
      select i.id, i.state || ', deliveries ' || d.sent as detail
      from notification_intents i
      cross join lateral (select count(*) as sent from notification_deliveries d where d.intent_id = i.id and d.outcome = 'SENT') d
      where d.sent <> (i.state = 'SENT')::int`,
  },
  {
    name: "a key has its answer, and its first call said the same",
    sql: `
      select k.command_id as id, 'answer ' || coalesce(k.status::text, 'missing') || ', first call ' || coalesce(c.status::text, 'missing') as detail
      from idempotency_keys k
      left join command_calls c on c.command_id = k.command_id and c.outcome = 'FIRST'
      where k.status is null or c.status is distinct from k.status`,
  },
  {
    name: "every call of a command was answered alike",
    sql: `
      select command_id as id, count(distinct status) || ' statuses' as detail
      from command_calls
      where outcome in ('FIRST', 'REPLAYED')
      group by command_id
      having count(distinct status) > 1 or count(*) filter (where outcome = 'FIRST') <> 1`,
  },
  {
    name: "each change has the message that it asks for, once",
    sql: `
      select h.id, h.change || ' to ' || h.to_status || ', messages ' || count(i.id) as detail
      from appointment_history h
      left join notification_intents i
        on i.appointment_id = h.appointment_id and i.appointment_version = h.version and i.kind <> 'REMINDER'
      where h.source <> 'IMPORT'
      group by h.id
      having count(i.id) <> (h.change in ('CREATED', 'RESCHEDULED', 'CANCELLED') or (h.from_status = 'REQUESTED' and h.to_status = 'CONFIRMED'))::int`,
  },
  {
    name: "a committed change has its audit entry and its first call",
    sql: `
      select h.id, h.change as detail
      from appointment_history h
      where h.source in ('DESK', 'API')
        and not (exists (select from audit_entries a where a.command_id = h.command_id and a.result = 'DONE')
                 and exists (select from command_calls c where c.command_id = h.command_id and c.outcome = 'FIRST' and c.status < 300))`,
  },
  {
    name: "a refused command left its refusal and nothing else",
    sql: `
      select c.command_id as id, 'refused with ' || c.status as detail
      from command_calls c
      where c.outcome = 'FIRST' and c.status >= 300
        and (exists (select from appointment_history h where h.command_id = c.command_id)
             or exists (select from announced_events o where o.command_id = c.command_id)
             or exists (select from notification_intents i where i.command_id = c.command_id)
             or not exists (select from audit_entries a where a.command_id = c.command_id and a.result = 'REFUSED'))`,
  },
  {
    name: "a plan that was applied moved each of its visits once, by its own command, and no other plan moved any",
    sql: `
      select r.id, r.state || ': ' || count(m.appointment_id) || ' moves, ' || count(h.id) || ' written' as detail
      from planning_runs r
      left join planning_run_moves m on m.run_id = r.id and m.kind = 'MOVE'
      left join appointment_history h on h.appointment_id = m.appointment_id and h.command_id = r.apply_command_id and h.change = 'RESCHEDULED'
      group by r.id
      having count(h.id) <> case when r.state = 'APPLIED' then count(m.appointment_id) else 0 end
        or (r.state = 'APPLIED' and count(m.appointment_id) <> coalesce((select sum(a.written) from planning_apply_attempts a where a.run_id = r.id), 0))`,
  },
  {
    name: "a plan was applied over the facts that it was calculated from, and none changed until it was",
    sql: `
      select r.id, 'calculated ' || left(r.fact_version, 6) || ', applied over ' || coalesce(left(a.fact_version, 6), 'none') as detail
      from planning_runs r
      left join planning_apply_attempts a on a.run_id = r.id and a.outcome = 'APPLIED'
      where r.state = 'APPLIED'
        and (a.fact_version is distinct from r.fact_version
             or exists (select from fact_changes f where f.clinic_id = r.clinic_id and f.fact_version > a.scope_fact_version and f.at < r.applied_at))`,
  },
  {
    name: "a calculated plan has the moves and sources that it says",
    sql: `
      select r.id, r.moves || '+' || r.unplaced || '+' || r.stays || ' moves, ' || r.sources || ' sources' as detail
      from planning_runs r
      where r.calculated_at is not null
        and (r.moves + r.unplaced + r.stays <> (select count(*) from planning_run_moves m where m.run_id = r.id)
             or r.sources <> (select count(*) from planning_run_sources s where s.run_id = r.id)
             or r.moves <> (select count(*) from planning_run_sources s where s.run_id = r.id and s.kind = 'VERSION'))`,
  },
];
