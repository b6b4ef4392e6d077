-- takes: one event. touches: event
insert into postrider.event
  (event_id, topic, type, key, project_id, user_id, aggregate_type, aggregate_id, payload, headers)
values
  (:event_id, :topic, :type, :key, :project_id, :user_id, :aggregate_type, :aggregate_id, :payload::jsonb, :headers::jsonb)
