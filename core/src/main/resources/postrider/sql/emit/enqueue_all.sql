-- takes: jobs without unique keys as arrays, in order. touches: event. The order of the arrays is the order of the ids
insert into postrider.event
  (event_id, topic, type, key, project_id, user_id, aggregate_type, aggregate_id, payload, headers, due_at)
select e.event_id, e.topic, e.type, e.key, e.project_id, e.user_id, e.aggregate_type, e.aggregate_id,
  e.payload::jsonb, e.headers::jsonb, e.due_at::timestamptz
from unnest(:event_ids::uuid[], :topics::text[], :types::text[], :keys::text[], :project_ids::text[], :user_ids::text[],
  :aggregate_types::text[], :aggregate_ids::text[], :payloads::text[], :headers::text[], :due_at::text[])
  with ordinality as e (event_id, topic, type, key, project_id, user_id, aggregate_type, aggregate_id, payload, headers,
    due_at, n)
order by e.n
