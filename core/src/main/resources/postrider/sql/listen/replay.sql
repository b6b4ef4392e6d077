-- returns dead letters to their listener: as setbacks without attempts that are due now, so they are retried in the order
-- of their keys, and only by that listener. Those of a lane are jobs: they are scheduled individually, due now. Those without content
-- stay (fill_bare.sql).
-- touches: dead_letter, setback, delayed
with gone as (
  delete from postrider.dead_letter d where d.id = any (:ids)
  and not (d.listener = d.topic and d.error_code = 'unreadable' and d.type = 'unreadable')
  returning d.*
), back as (
  insert into postrider.setback
    (listener, position, topic, event_id, created_at, type, key, project_id, user_id, aggregate_type, aggregate_id,
     payload, headers, attempt, retry_after)
  select g.listener, g.position, g.topic, g.event_id, g.created_at, g.type, g.key, g.project_id, g.user_id,
    g.aggregate_type, g.aggregate_id, g.payload, g.headers, 0, clock_timestamp()
  from gone g
  where g.listener not like 'queue:%'
  on conflict (listener, position) do nothing
  returning 1
), jobs as (
  insert into postrider.delayed
    (topic, position, event_id, created_at, type, key, project_id, user_id, aggregate_type, aggregate_id, payload, headers,
     why, due_at)
  select g.topic, g.position, g.event_id, g.created_at, g.type, g.key, g.project_id, g.user_id, g.aggregate_type,
    g.aggregate_id, g.payload, g.headers, 'replay', clock_timestamp()
  from gone g
  where g.listener like 'queue:%'
  on conflict (topic, position) do nothing
  returning 1
)
select count(*) as replayed, max(pg_notify('postrider', 'steer')::text) as told
from (select * from back union all select * from jobs) b
