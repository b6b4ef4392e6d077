-- a committed job without a position that is in reach (see jobs_in_reach), in the form of the view jobs
select r.*
from postrider.event e
cross join lateral jsonb_populate_record(null::postrider.jobs, jsonb_build_object(
  'id', e.event_id, 'queue', split_part(e.topic, ':', 2), 'job_type', e.type,
  'priority', coalesce(nullif(split_part(e.topic, ':', 3), ''), 'normal'), 'state', 'PENDING',
  'run_at', coalesce(e.due_at, e.created_at), 'attempt_count', 0, 'created_at', e.created_at, 'key', e.key,
  'project_id', e.project_id, 'user_id', e.user_id, 'payload', e.payload, 'headers', e.headers, 'unique_key', e.unique_key,
  'crashes', 0, 'topic', e.topic, 'position', 0)) r
where e.event_id = :id and e.topic >= 'queue:' and e.topic < 'queue;'
and case :reach
  when 'all' then true
  when 'project' then e.project_id = :project
  when 'user' then e.user_id = :user and (e.project_id is null or e.project_id = :project)
  else false
end
order by e.id
limit 1
