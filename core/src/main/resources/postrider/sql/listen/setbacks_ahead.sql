-- the setbacks at positions the cursor has not passed: at most a batch of them. What another worker has begun is its own for
-- a minute where the listener is shared. One that was begun in the future was set back while the clock was ahead: its wait counts from there
select s.position, s.event_id, s.attempt,
  coalesce(greatest(0, extract(epoch from coalesce(s.retry_after,
    case when :shared and s.worker <> :worker then s.begun_at + interval '1 minute' end) - greatest(s.begun_at, clock_timestamp())) * 1000), 0)::int8
    as wait_millis
from postrider.setback s
where s.listener = :listener and s.position > :cursor
