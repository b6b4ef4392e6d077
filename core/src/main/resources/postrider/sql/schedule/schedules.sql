select s.name, s.queue, s.type, s.payload::text as payload, s.cron, s.zone, s.paused, s.next_at, s.last_at, s.last_job::text as last_job
from postrider.schedule s
order by s.name
