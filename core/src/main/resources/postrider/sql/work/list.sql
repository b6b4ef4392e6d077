-- the latest jobs of a queue, in one state or all
select j.id, j.queue, j.job_type, j.priority, j.state, j.run_at, j.attempt_count, j.locked_by, j.lease_expires_at, j.last_error_code,
  j.last_error_message, j.created_at, j.claimed_at, j.finished_at, j.key, j.project_id, j.user_id, j.payload::text as payload, j.result::text as result,
  j.progress, j.progress_note, j.waits_for, j.topic, j.position
from postrider.jobs j
where j.topic = any (postrider.lanes(:queue))
and (:state::text is null or j.state = :state)
and case :reach when 'ALL' then true when 'PROJECT' then j.project_id = :project
  else j.user_id = :user and (j.project_id is null or j.project_id = :project) end
order by j.created_at desc, j.position desc
limit :most
