-- one job
select j.id, j.queue, j.job_type, j.priority, j.state, j.run_at, j.attempt_count, j.locked_by, j.lease_expires_at, j.last_error_code,
  j.last_error_message, j.created_at, j.claimed_at, j.finished_at, j.key, j.project_id, j.user_id, j.payload::text as payload, j.result::text as result,
  j.progress, j.progress_note, j.waits_for, j.topic, j.position, j.stack
from postrider.jobs j
where j.id = :id
