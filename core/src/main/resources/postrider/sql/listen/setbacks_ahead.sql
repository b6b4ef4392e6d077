-- the setbacks at positions the cursor has not passed: at most a batch of them
select s.position, s.attempt,
  greatest(0, extract(epoch from s.retry_after - clock_timestamp()) * 1000)::int8 as wait_millis
from postrider.setback s
where s.listener = :listener and s.position > :cursor
