-- takes: one event. touches: event
-- search_path: any
insert into postrider.event
  (event_id, topic, type, key, project_id, user_id, aggregate_type, aggregate_id, payload, headers)
values
  (:event_id, :topic, :type, :key, :project_id, :user_id, :aggregate_type, :aggregate_id, :payload::pg_catalog.jsonb, :headers::pg_catalog.jsonb)
