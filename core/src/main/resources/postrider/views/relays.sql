-- Each relay to a sink: a listener, and the state of its sink.
--   state  detached: retention deleted events it had not sent · paused · unavailable: the sink cannot be reached ·
--          failing: the sink refuses an event · waiting: no node runs it · running
--   mode   live, or shadow: it sends nothing (views/listeners.sql)
create or replace view postrider.relays as
select v.name, v.topic, l.sink,
  case when v.detached_at is not null then 'detached' when v.paused then 'paused'
    when v.owner_pid is null then 'waiting' when l.unavailable_since is not null then 'unavailable'
    when v.attempts > 0 then 'failing' else 'running' end as state,
  v.position, v.head, v.lag, v.last_progress_at, l.unavailable_since, v.attempts, v.retry_after, v.last_error,
  v.setbacks, v.dead_letters, v.paused, v.owner, l.course, l.tested_at, l.test_found, l.test_error, v.mode,
  v.shadow_from, v.live_from, v.shadow_asked_at
from postrider.listeners v
join postrider.listener l on l.name = v.name
where l.sink is not null;
