-- an attempt failed and will be retried after a wait. touches: setback
-- never: lowers an attempt that another worker has counted meanwhile
insert into postrider.setback
  (listener, position, topic, event_id, created_at, type, key, project_id, user_id, aggregate_type, aggregate_id, payload,
   headers, attempt, begun_at, retry_after, error_code, error, stack, worker)
values
  (:listener, :position, :topic, :event_id, :created_at, :type, :key, :project_id, :user_id, :aggregate_type,
   :aggregate_id, :payload::jsonb, :headers::jsonb, :attempt, clock_timestamp(),
   clock_timestamp() + :wait * interval '1 millisecond', :code, :error, :stack, :worker)
on conflict (listener, position) do update
set attempt = excluded.attempt, retry_after = excluded.retry_after, error_code = excluded.error_code, error = excluded.error,
  stack = excluded.stack, worker = excluded.worker
where setback.attempt <= excluded.attempt
