-- The log as an operator reads it: every event that has a position.
create or replace view postrider.events as
select l.topic, l.position, e.event_id, e.type, e.key, e.project_id::text, e.user_id::text, e.aggregate_type::text,
  e.aggregate_id::text, e.payload, e.headers, e.created_at::timestamptz, e.tx, e.id
from postrider.log l
join postrider.event e on e.tx = l.tx and e.id = l.id;
