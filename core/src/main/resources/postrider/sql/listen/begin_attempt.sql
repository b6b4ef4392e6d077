-- counts an attempt before it is made, so that one that kills the process is counted. The error of the last failure stays: the
-- attempt may be taken back (uncount_attempt.sql). retry_after is null while the attempt runs. touches: setback
insert into postrider.setback
  (listener, position, topic, event_id, created_at, type, key, project_id, user_id, aggregate_type, aggregate_id, payload,
   headers, attempt, begun_at, worker)
values
  (:listener, :position, :topic, :event_id, :created_at, :type, :key, :project_id, :user_id, :aggregate_type,
   :aggregate_id, :payload::jsonb, :headers::jsonb, 1, clock_timestamp(), :worker)
on conflict (listener, position) do update
set attempt = setback.attempt + 1, begun_at = excluded.begun_at, worker = excluded.worker, retry_after = null
returning attempt
