-- the setbacks at positions the cursor has not passed, without a limit: usually one, and after a reset to an earlier position
-- all that were parked behind the cursor. What another worker has begun is its own for a minute where the listener is shared. If
-- an attempt began in the future, the clock was ahead when the event was set back: its wait counts from that time
select s.position, s.event_id, s.attempt,
  coalesce(greatest(0, extract(epoch from coalesce(s.retry_after,
    case when :shared and s.worker <> :worker then s.begun_at + interval '1 minute' end) - greatest(s.begun_at, clock_timestamp())) * 1000), 0)::int8
    as wait_millis
from postrider.setback s
where s.listener = :listener and s.position > :cursor
