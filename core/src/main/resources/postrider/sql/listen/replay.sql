-- dead letters go back to their listener: as setbacks without attempts that are due now, so they are tried in the order
-- of their keys, and only by that listener. touches: dead_letter, setback
with gone as (
  delete from postrider.dead_letter d where d.id = any (:ids) returning d.*
), back as (
  insert into postrider.setback
    (listener, position, topic, event_id, created_at, type, key, project_id, user_id, aggregate_type, aggregate_id,
     payload, headers, attempt, retry_after)
  select g.listener, g.position, g.topic, g.event_id, g.created_at, g.type, g.key, g.project_id, g.user_id,
    g.aggregate_type, g.aggregate_id, g.payload, g.headers, 0, clock_timestamp()
  from gone g
  on conflict (listener, position) do nothing
  returning 1
)
select count(*) as replayed, pg_notify('postrider', 'steer')::text as told from back
