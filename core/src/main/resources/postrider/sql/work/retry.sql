-- a job that waits for its time is due now; a dead one is tried again from its first attempt. touches: delayed, dead_letter
with job as (
  select f.topic, f.position from postrider.find_job(:id) f
  union
  select x.topic, x.position from postrider.dead_letter x where x.event_id = :id and x.listener = x.topic
), now_due as (
  update postrider.delayed d set due_at = clock_timestamp()
  from job j where d.topic = j.topic and d.position = j.position and d.worker is null
  returning 1
), gone as (
  delete from postrider.dead_letter x using job j
  where x.listener = j.topic and x.position = j.position
  returning x.*
), back as (
  insert into postrider.delayed
    (topic, position, event_id, created_at, type, key, project_id, user_id, aggregate_type, aggregate_id, payload, headers,
     why, due_at)
  select g.topic, g.position, g.event_id, g.created_at, g.type, g.key, g.project_id, g.user_id, g.aggregate_type,
    g.aggregate_id, g.payload, g.headers, 'replay', clock_timestamp()
  from gone g
  on conflict (topic, position) do nothing
  returning 1
)
select count(*) as moved, max(pg_notify('postrider', 'steer')::text) as told
from (select * from now_due union all select * from back) m
