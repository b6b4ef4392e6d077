-- Events and jobs that failed permanently: the event, its listener or lane, the error and the attempts. stack: the stack trace of
-- the last failure. last_error_code: the code that the handler gave, or the class of its exception; null for a listener's dead
-- letters that schema versions before 15 wrote
create or replace view postrider.dead_letters as
select d.id, d.listener, d.topic, d.position, d.event_id, d.type, d.key, d.project_id, d.user_id, d.aggregate_type,
  d.aggregate_id, d.payload, d.headers, d.created_at, d.attempts, d.error, d.died_at, d.stack,
  d.error_code as last_error_code
from postrider.dead_letter d;
