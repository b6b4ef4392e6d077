-- Compatibility view: the events by the names of a hand-written outbox with a status column: one row for each event and listener of
-- its topic. New code reads event_status and events. docs/names.md
--   status        pending, published, failed, as in event_status
--   published_at  when the listener finished the event
create or replace view postrider.event_outbox as
select e.event_id as id, e.aggregate_type, e.aggregate_id, e.user_id, e.project_id, e.type::text as event_type,
  e.payload::jsonb as payload, s.status, s.retry_count, s.next_retry_at, e.created_at, s.published_at, s.last_error,
  s.listener as listener_id, e.topic, e.position
from postrider.events e
join postrider.event_status s on s.topic = e.topic and s.position = e.position;
