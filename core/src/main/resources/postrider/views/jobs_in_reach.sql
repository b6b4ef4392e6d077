-- The jobs that the transaction has in reach, by the settings that the policies of event_log compare with (enter.sql); a transaction
-- without these settings sees nothing. The reader's role may read this view and not the tables below it. Those have no policies,
-- because each claim and settlement would pay for them. A security barrier, so that no condition of a query is evaluated on a row
-- out of reach. A stack trace shows internals of the application, so only transactions with reach 'all' see it.
create or replace view postrider.jobs_in_reach with (security_barrier) as
select j.id, j.queue, j.job_type, j.priority, j.state, j.run_at, j.attempt_count, j.locked_by, j.lease_expires_at,
  j.last_error_code, j.last_error_message, j.created_at, j.claimed_at, j.finished_at, j.key, j.project_id, j.user_id,
  j.payload, j.headers, j.unique_key, j.result, j.progress, j.progress_note, j.waits_for, j.crashes, j.topic, j.position,
  case when (select current_setting('postrider.reach', true)) = 'all' then j.stack end as stack
from postrider.jobs j
where case (select current_setting('postrider.reach', true))
  when 'all' then true
  when 'project' then j.project_id = (select nullif(current_setting('postrider.project', true), ''))
  when 'user' then j.user_id = (select nullif(current_setting('postrider.user', true), ''))
    and (j.project_id is null or j.project_id = (select nullif(current_setting('postrider.project', true), '')))
  else false
end;
