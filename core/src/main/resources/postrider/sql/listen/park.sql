-- an event waits behind an earlier one of its key. touches: setback
-- search_path: any
insert into postrider.setback
  (listener, position, topic, event_id, created_at, type, key, project_id, user_id, aggregate_type, aggregate_id, payload,
   headers, attempt, retry_after)
values
  (:listener, :position, :topic, :event_id, :created_at, :type, :key, :project_id, :user_id, :aggregate_type,
   :aggregate_id, :payload::pg_catalog.jsonb, :headers::pg_catalog.jsonb, 0, pg_catalog.clock_timestamp())
on conflict (listener, position) do nothing
