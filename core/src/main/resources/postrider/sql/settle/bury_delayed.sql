-- a job that goes by itself becomes a dead letter of its lane. gives: a row if it still belonged to this claim. touches: delayed, dead_letter
with gone as (
  delete from postrider.delayed d
  where d.topic = :topic and d.position = :position and d.worker = :worker and d.attempt = :attempt
  and d.claimed_at = :claimed_at
  returning d.*
)
insert into postrider.dead_letter
  (listener, position, topic, event_id, created_at, type, key, project_id, user_id, aggregate_type, aggregate_id, payload,
   headers, attempts, error_code, error, stack, claimed_at)
select g.topic, g.position, g.topic, g.event_id, g.created_at, g.type, g.key, g.project_id, g.user_id, g.aggregate_type,
  g.aggregate_id, g.payload, g.headers, g.attempt, :code, :error, :stack, g.claimed_at
from gone g
on conflict (listener, position) do update
set attempts = excluded.attempts, error_code = excluded.error_code, error = excluded.error, stack = excluded.stack,
  died_at = excluded.died_at, claimed_at = excluded.claimed_at
returning position
