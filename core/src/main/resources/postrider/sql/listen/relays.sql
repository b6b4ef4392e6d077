select r.name, r.topic, r.sink, r.state, r.position, r.head, r.lag, r.last_progress_at, r.unavailable_since, r.attempts,
  r.retry_after, r.last_error, r.setbacks, r.dead_letters, r.paused, r.owner, r.tested_at, r.test_found, r.test_error,
  r.mode, r.shadow_from, r.live_from
from postrider.relays r
order by r.name
