-- advances schedules past a tick and enqueues a job for each. gives: a row for each schedule that this call advanced. Schedules
-- that another node has advanced or has locked are skipped without waiting. touches: schedule, event
with due as (
  select s.name, d.at, d.next_at, d.job_id
  from unnest(:names::text[], :ats::timestamptz[], :next_ats::timestamptz[], :job_ids::uuid[]) d (name, at, next_at, job_id)
  join postrider.schedule s on s.name = d.name and s.next_at = d.at and not s.paused
  for update of s skip locked
), ticked as (
  update postrider.schedule s set next_at = d.next_at, last_at = d.at, last_job = d.job_id
  from due d
  where s.name = d.name
  returning s.name, s.queue, s.type, s.payload, d.at, d.job_id
)
select t.name, postrider.enqueue(queue => t.queue, type => t.type, payload => t.payload, job_id => t.job_id,
  headers => jsonb_build_object('schedule', t.name, 'tick', t.at))::text as job
from ticked t
