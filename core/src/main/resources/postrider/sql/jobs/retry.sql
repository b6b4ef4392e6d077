-- makes a scheduled job due now; a dead one is retried from its first attempt, and takes its unique key again.
-- takes: its lane and position. gives: moved, how many; held_by, the job that holds the unique key now, in which case nothing is moved;
-- bare, whether its dead letter has no content (fill_bare.sql), in which case it stays.
-- touches: delayed, dead_letter, unique_job
with key as (
  select split_part(l.topic, ':', 2) as queue, coalesce(e.project_id, '') as project_id, e.unique_key, e.event_id,
    u.event_id as holder
  from postrider.log l
  join postrider.event e on e.tx = l.tx and e.id = l.id
  left join postrider.unique_job u
    on u.queue = split_part(l.topic, ':', 2) and u.project_id = coalesce(e.project_id, '') and u.unique_key = e.unique_key
    and u.until > clock_timestamp()
  where l.topic = :topic and l.position = :position and e.unique_key is not null
), now_due as (
  update postrider.delayed d set due_at = clock_timestamp(), since = clock_timestamp()
  where d.topic = :topic and d.position = :position and d.worker is null
  returning 1
), gone as (
  delete from postrider.dead_letter x
  where x.listener = :topic and x.position = :position
  and not exists (select from key k where k.holder <> k.event_id)
  and not (x.error_code = 'unreadable' and x.type = 'unreadable')
  returning x.*
), taken as (
  insert into postrider.unique_job (queue, project_id, unique_key, event_id)
  select k.queue, k.project_id, k.unique_key, g.event_id from key k, gone g
  on conflict (queue, project_id, unique_key) do update set event_id = excluded.event_id, until = excluded.until
  returning 1
), back as (
  insert into postrider.delayed
    (topic, position, event_id, created_at, type, key, project_id, user_id, aggregate_type, aggregate_id, payload, headers,
     unique_key, why, due_at)
  select g.topic, g.position, g.event_id, g.created_at, g.type, g.key, g.project_id, g.user_id, g.aggregate_type,
    g.aggregate_id, g.payload, g.headers, (select k.unique_key from key k), 'replay', clock_timestamp()
  from gone g
  on conflict (topic, position) do nothing
  returning 1
)
select count(m.*) as moved, max(pg_notify('postrider', 'steer')::text) as told,
  (select k.holder::text from key k where k.holder <> k.event_id) as held_by,
  exists (
    select from postrider.dead_letter x
    where x.listener = :topic and x.position = :position
    and x.error_code = 'unreadable' and x.type = 'unreadable') as bare
from (select * from now_due union all select * from back) m
