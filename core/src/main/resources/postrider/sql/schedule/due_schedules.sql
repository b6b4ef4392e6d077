-- schedules whose tick is due, the oldest tick first, after a given place in this order
select s.name, s.queue, s.type, s.payload::text as payload, s.cron, s.zone, s.paused, s.next_at, s.last_at, s.last_job::text as last_job
from postrider.schedule s
where s.next_at <= clock_timestamp() and not s.paused
and (:after_at::timestamptz is null or (s.next_at, s.name) > (:after_at::timestamptz, :after_name::text))
order by s.next_at, s.name
limit :most
