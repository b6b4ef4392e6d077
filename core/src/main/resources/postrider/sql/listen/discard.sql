-- deletes dead letters. Records which events the event log now lacks permanently: until then they could still be replayed.
-- touches: dead_letter, event_log_forgotten
with forgotten as (
  insert into postrider.event_log_forgotten as f (topic, position)
  select d.topic, max(d.position)
  from postrider.dead_letter d
  where d.id = any (:ids)
  and d.listener = 'event_log:' || d.topic
  group by d.topic
  on conflict (topic) do update set position = greatest(f.position, excluded.position)
)
delete from postrider.dead_letter d where d.id = any (:ids)
