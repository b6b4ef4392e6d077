-- Every job that is kept: its content, its state and its worker. Derived: never a column that is rewritten.
--   state  PENDING, IN_PROGRESS, DONE, FAILED (a dead letter), CANCELLED
create or replace view postrider.jobs as
select e.event_id as id, split_part(l.topic, ':', 2) as queue, e.type as job_type,
  coalesce(nullif(split_part(l.topic, ':', 3), ''), 'normal') as priority,
  case
    when x.id is not null then 'FAILED'
    when d.worker is not null then 'IN_PROGRESS'
    when d.position is not null then 'PENDING'
    when coalesce(f.fate, s.fate) = 'done' then 'DONE'
    when coalesce(f.fate, s.fate) = 'cancelled' or k.position is not null and c.n is null then 'CANCELLED'
    when s.fate is not null then 'FAILED'
    when c.n is not null then 'IN_PROGRESS'
    else 'PENDING'
  end as state,
  coalesce(d.due_at, e.due_at, e.created_at) as run_at,
  coalesce(x.attempts, d.attempt, f.attempts, case when c.n is not null then 1 else 0 end) as attempt_count,
  w.node as locked_by,
  case when w.id is not null then postrider.lease_until(w.id) end as lease_expires_at,
  coalesce(x.error_code, d.error_code) as last_error_code,
  coalesce(x.error, d.error) as last_error_message,
  e.created_at::timestamptz,
  case when d.worker is not null then d.claimed_at
    when d.position is null then coalesce(x.claimed_at, f.claimed_at, case when s.fate is distinct from 'aside' then c.at end)
  end as claimed_at,
  case when d.position is null then coalesce(x.died_at, f.at, case when s.fate <> 'aside' then s.at end,
    case when c.n is null then k.at end) end as finished_at,
  e.key, e.project_id, e.user_id, e.payload, e.headers, e.unique_key::text,
  coalesce(f.result, s.results -> (l.position::text)) as result,
  p.percent as progress, p.note as progress_note, d.why as waits_for, coalesce(d.crashes, 0) as crashes,
  l.topic, l.position, coalesce(x.stack, d.stack) as stack
from postrider.log l
join postrider.event e on e.tx = l.tx and e.id = l.id
left join postrider.delayed d on d.topic = l.topic and d.position = l.position
left join postrider.dead_letter x on x.listener = l.topic and x.position = l.position
left join postrider.cancellation k on k.topic = l.topic and k.position = l.position
left join postrider.progress p on p.topic = l.topic and p.position = l.position
left join lateral (
  select f.* from postrider.finish f where f.topic = l.topic and f.position = l.position order by f.n desc limit 1) f on true
left join lateral (
  select c.* from (
    select c.* from postrider.claim c
    where c.topic = l.topic and c.from_position <= l.position
    order by c.from_position desc, c.n desc limit 1) c
  where c.to_position >= l.position) c on true
left join lateral (
  select s.* from postrider.settlement s where s.n = c.n and s.positions @> l.position limit 1) s on true
left join postrider.worker w
  on w.id = coalesce(d.worker, case when d.position is null and s.n is null and x.id is null then c.worker end)
where l.topic >= 'queue:' and l.topic < 'queue;' and e.topic >= 'queue:' and e.topic < 'queue;'
union all
select d.event_id, split_part(d.topic, ':', 2), d.type, coalesce(nullif(split_part(d.topic, ':', 3), ''), 'normal'),
  case when d.worker is null then 'PENDING' else 'IN_PROGRESS' end, d.due_at, d.attempt, w.node,
  case when w.id is not null then postrider.lease_until(w.id) end, d.error_code, d.error, d.created_at,
  case when d.worker is not null then d.claimed_at end, null,
  d.key, d.project_id, d.user_id, d.payload, d.headers, d.unique_key, null, p.percent, p.note, d.why, d.crashes,
  d.topic, d.position, d.stack
from postrider.delayed d
left join postrider.worker w on w.id = d.worker
left join postrider.progress p on p.topic = d.topic and p.position = d.position
where not exists (select from postrider.log l where l.topic = d.topic and l.position = d.position);
