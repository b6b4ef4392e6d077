-- a setback becomes a dead letter. gives: it; no row if it is gone or another attempt has begun. Without retry_after its last
-- attempt has neither failed nor been taken back: then its error is that of an earlier attempt.
-- touches: setback, dead_letter
with gone as (
  delete from postrider.setback s
  where s.listener = :listener and s.position = :position and s.attempt = :attempt
  returning s.*
)
insert into postrider.dead_letter
  (listener, position, topic, event_id, created_at, type, key, project_id, user_id, aggregate_type, aggregate_id, payload,
   headers, attempts, error_code, error, stack)
select g.listener, g.position, g.topic, g.event_id, g.created_at, g.type, g.key, g.project_id, g.user_id,
  g.aggregate_type, g.aggregate_id, g.payload, g.headers, g.attempt,
  case when g.retry_after is not null and g.error is not null then g.error_code else 'crash' end,
  coalesce(case when g.retry_after is not null then g.error end, 'attempt ' || g.attempt || ' had no result: its process or its database connection ended'),
  case when g.retry_after is not null then g.stack end
from gone g
on conflict (listener, position) do update  -- it had died before the listener was reset
set attempts = excluded.attempts, error_code = excluded.error_code, error = excluded.error, stack = excluded.stack, died_at = excluded.died_at
returning id, listener, position, topic, event_id, created_at, type, key, project_id, user_id, aggregate_type,
  aggregate_id, payload::text as payload, headers::text as headers, attempts, error_code as last_error_code, error, died_at, stack
