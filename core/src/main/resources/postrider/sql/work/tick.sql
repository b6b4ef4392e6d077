-- moves a schedule on from a tick, and makes the tick's job. gives: a row to the one who does it; others find that the tick
-- has moved. touches: schedule, event
with ticked as (
  update postrider.schedule s set next_at = :next_at, last_at = :at, last_job = :job_id
  where s.name = :name and s.next_at = :at and not s.paused
  returning s.queue, s.type, s.payload
)
select postrider.enqueue(queue => t.queue, type => t.type, payload => t.payload, job_id => :job_id,
  headers => jsonb_build_object('schedule', :name::text, 'tick', :at::timestamptz))::text as job
from ticked t
