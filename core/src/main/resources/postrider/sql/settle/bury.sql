-- claimed jobs become dead letters of their lane. The caller settles them in the same transaction. touches: dead_letter
insert into postrider.dead_letter
  (listener, position, topic, event_id, created_at, type, key, project_id, user_id, aggregate_type, aggregate_id, payload,
   headers, attempts, error_code, error, stack)
select b.topic, b.position, b.topic, e.event_id, e.created_at, e.type, e.key, e.project_id, e.user_id, e.aggregate_type,
  e.aggregate_id, e.payload, e.headers, b.attempts, b.code, b.error, b.stack
from unnest(:topics::text[], :positions::bigint[], :attempts::int[], :codes::text[], :errors::text[],
  :stacks::text[]) b (topic, position, attempts, code, error, stack)
join postrider.log l on l.topic = b.topic and l.position = b.position
join postrider.event e on e.tx = l.tx and e.id = l.id
on conflict (listener, position) do update
set attempts = excluded.attempts, error_code = excluded.error_code, error = excluded.error, stack = excluded.stack,
  died_at = excluded.died_at
