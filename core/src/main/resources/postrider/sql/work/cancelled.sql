-- which of these jobs are cancelled. gives: lane, position, reason
select c.topic, c.position, coalesce(c.reason, 'cancelled') as reason
from postrider.cancellation c
join unnest(:topics::text[], :positions::bigint[]) j (topic, position) on j.topic = c.topic and j.position = c.position
