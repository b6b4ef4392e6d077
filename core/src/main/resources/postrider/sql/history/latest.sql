-- the last event of an aggregate in a topic. ReadConditions inserts the conditions. touches: event_log
select e.topic, e.position, e.event_id, e.event_type as type, e.key, e.project_id, e.user_id, e.aggregate_type,
  e.aggregate_id, e.payload::text as payload, e.headers::text as headers, e.created_at
from postrider.event_log e
where true /* conditions */
order by e.position desc
limit 1
