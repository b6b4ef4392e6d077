-- takes: jobs without unique keys as arrays, in order. touches: event. The order of the arrays is the order of the ids
-- search_path: any
insert into postrider.event
  (event_id, topic, type, key, project_id, user_id, aggregate_type, aggregate_id, payload, headers, due_at)
select e.event_id, e.topic, e.type, e.key, e.project_id, e.user_id, e.aggregate_type, e.aggregate_id,
  e.payload::pg_catalog.jsonb, e.headers::pg_catalog.jsonb, e.due_at::pg_catalog.timestamptz
from unnest(:event_ids::pg_catalog.uuid[], :topics::pg_catalog.text[], :types::pg_catalog.text[], :keys::pg_catalog.text[], :project_ids::pg_catalog.text[], :user_ids::pg_catalog.text[],
  :aggregate_types::pg_catalog.text[], :aggregate_ids::pg_catalog.text[], :payloads::pg_catalog.text[], :headers::pg_catalog.text[], :due_at::pg_catalog.text[])
  with ordinality as e (event_id, topic, type, key, project_id, user_id, aggregate_type, aggregate_id, payload, headers,
    due_at, n)
order by e.n
