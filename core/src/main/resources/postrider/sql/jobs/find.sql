-- one job. If several have this id: the oldest unfinished one, otherwise the oldest dead one, otherwise the oldest
select j.id, j.queue, j.job_type, j.priority, j.state, j.run_at, j.attempt_count, j.locked_by, j.lease_expires_at, j.last_error_code,
  j.last_error_message, j.created_at, j.claimed_at, j.finished_at, j.key, j.project_id, j.user_id, j.payload::text as payload, j.result::text as result,
  j.progress, j.progress_note, j.waits_for, j.topic, j.position, j.stack
from postrider.jobs j
where j.id = :id
order by case when j.state in ('PENDING', 'IN_PROGRESS') then 0 when j.state = 'FAILED' then 1 else 2 end, j.created_at,
  j.topic, j.position
limit 1
