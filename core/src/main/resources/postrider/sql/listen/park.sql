-- an event waits behind an earlier one of its key. touches: setback
insert into postrider.setback
  (listener, position, topic, event_id, created_at, type, key, project_id, user_id, aggregate_type, aggregate_id, payload,
   headers, attempt, retry_after)
values
  (:listener, :position, :topic, :event_id, :created_at, :type, :key, :project_id, :user_id, :aggregate_type,
   :aggregate_id, :payload::jsonb, :headers::jsonb, 0, clock_timestamp())
on conflict (listener, position) do nothing
