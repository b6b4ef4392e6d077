-- Compatibility view: the jobs by the names of a hand-written job table. New code reads jobs. docs/names.md
--   item_id  the key of the job
--   status   PENDING, IN_PROGRESS, DONE, FAILED, and CANCELLED, which hand-written tables rarely have
create or replace view postrider.job_outbox as
select j.id, j.key as item_id, j.job_type, j.state as status, j.attempt_count, j.run_at, j.claimed_at, j.locked_by,
  j.lease_expires_at, j.last_error_code, j.last_error_message, j.last_error_message as last_error, j.created_at,
  j.finished_at, j.payload, j.user_id, j.project_id, j.queue
from postrider.jobs j;
