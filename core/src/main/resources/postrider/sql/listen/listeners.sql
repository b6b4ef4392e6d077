select l.name, l.topic, l.kind, l.policy, l.position, l.head, l.lag, l.last_progress_at, l.attempts, l.retry_after,
  l.last_error, l.setbacks, l.dead_letters, l.paused, l.detached_at, l.owner,
  l.mode, l.shadow_from, l.live_from
from postrider.listeners l
order by l.name
