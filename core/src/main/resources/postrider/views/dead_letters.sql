-- Events and jobs that failed permanently: the event, its listener or lane, the error and the attempts. stack: the stack trace of
-- the last failure
create or replace view postrider.dead_letters as
select d.id, d.listener, d.topic, d.position, d.event_id, d.type, d.key, d.project_id, d.user_id, d.aggregate_type,
  d.aggregate_id, d.payload, d.headers, d.created_at, d.attempts, d.error, d.died_at, d.stack
from postrider.dead_letter d;
