-- dead letters go back to their listener: as setbacks without attempts that are due now, so they are tried in the order
-- of their keys, and only by that listener. Those of a lane are jobs: replay_job() schedules each individually, due now. Those
-- without content stay (fill_bare.sql), and jobs whose unique key another job holds. In the order of ids, so that two
-- calls with the same ids do not deadlock.
-- touches: dead_letter, setback, delayed, unique_job
with gone as (
  delete from postrider.dead_letter d where d.id = any (:ids) and d.listener not like 'queue:%'
  returning d.*
), back as (
  insert into postrider.setback
    (listener, position, topic, event_id, created_at, type, key, project_id, user_id, aggregate_type, aggregate_id,
     payload, headers, attempt, retry_after)
  select g.listener, g.position, g.topic, g.event_id, g.created_at, g.type, g.key, g.project_id, g.user_id,
    g.aggregate_type, g.aggregate_id, g.payload, g.headers, 0, clock_timestamp()
  from gone g
  on conflict (listener, position) do nothing
  returning 1
), jobs as materialized (
  select r.replayed
  from (
    select d.topic, d.position from postrider.dead_letter d
    where d.id = any (:ids) and d.listener like 'queue:%'
    order by d.id
  ) d
  cross join lateral postrider.replay_job(d.topic, d.position) r
)
select count(*) as replayed, max(pg_notify('postrider', 'steer')::text) as told
from (select 1 from back union all select 1 from jobs j where j.replayed) b
