-- turns claimed jobs whose rows cannot be read or copied into dead letters without content. The caller settles them in the same
-- transaction. touches: dead_letter
insert into postrider.dead_letter
  (listener, position, topic, event_id, created_at, type, payload, headers, attempts, error_code, error, stack)
select b.topic, b.position, b.topic, b.event_id, clock_timestamp(), 'unreadable', 'null'::jsonb, '{}'::jsonb, b.attempts, b.code, b.error,
  b.stack
from unnest(:topics::text[], :positions::bigint[], :ids::uuid[], :attempts::int[], :codes::text[], :errors::text[],
  :stacks::text[]) b (topic, position, event_id, attempts, code, error, stack)
on conflict (listener, position) do update
set attempts = excluded.attempts, error_code = excluded.error_code, error = excluded.error, stack = excluded.stack,
  died_at = excluded.died_at
