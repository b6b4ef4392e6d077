-- a batch of events. touches: event_log
insert into postrider.event_log (topic, position, event_id, event_type, key, project_id, user_id, aggregate_type, aggregate_id,
  payload, headers, created_at)
select :topic, e.position, e.event_id, e.type, e.key, e.project_id, e.user_id, e.aggregate_type, e.aggregate_id,
  e.payload::jsonb, e.headers::jsonb, e.created_at::timestamptz
from unnest(:positions::int8[], :event_ids::uuid[], :types::text[], :keys::text[], :project_ids::text[], :user_ids::text[],
  :aggregate_types::text[], :aggregate_ids::text[], :payloads::text[], :headers::text[], :times::text[])
  as e (position, event_id, type, key, project_id, user_id, aggregate_type, aggregate_id, payload, headers, created_at)
