-- setbacks behind the cursor that are due, the first of each key: later events of the key follow in order. If the listener is
-- shared, an attempt that another worker has begun belongs to that worker for a minute
select s.position, s.topic, s.event_id, s.created_at, s.type, s.key, s.project_id, s.user_id, s.aggregate_type,
  s.aggregate_id, s.payload::text as payload, s.headers::text as headers, s.attempt
from postrider.setback s
where s.listener = :listener
and s.position <= :cursor
and coalesce(s.retry_after,
  case when :shared and s.worker <> :worker then s.begun_at + interval '1 minute' end, '-infinity') <= clock_timestamp()
and not exists (
  select from postrider.setback e where e.listener = s.listener and e.key = s.key and e.position < s.position)
order by s.position
limit :most
