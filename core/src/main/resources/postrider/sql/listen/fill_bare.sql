-- fills in the content of dead letters of jobs whose row could not be read, if the event can be read now. For these ids, or for the
-- job at this lane and position.
-- touches: dead_letter
with wanted as (
  select i.id from unnest(:ids::bigint[]) i (id)
  union
  select x.id from postrider.dead_letter x where x.listener = :topic and x.position = :position
)
update postrider.dead_letter x
set event_id = e.event_id, created_at = e.created_at, type = e.type, key = e.key, project_id = e.project_id, user_id = e.user_id,
  aggregate_type = e.aggregate_type, aggregate_id = e.aggregate_id, payload = e.payload, headers = e.headers
from wanted w, postrider.log l, postrider.event e
where x.id = w.id
and x.listener = x.topic
and x.error_code = 'unreadable' and x.type = 'unreadable'
and l.topic = x.topic and l.position = x.position
and e.tx = l.tx and e.id = l.id
