-- Compatibility view: the dead letters of listeners by the names of a hand-written outbox, without those of jobs (see job_outbox). New
-- code reads dead_letters. docs/names.md
--   outbox_id  the position of the event, as last_processed_id of outbox_listeners
create or replace view postrider.outbox_dead_letters as
select d.id, d.listener as listener_id, d.position as outbox_id, d.event_id, d.aggregate_type, d.aggregate_id, d.user_id,
  d.project_id, d.type as event_type, d.payload, d.attempts as retry_count, d.last_error_code, d.error as last_error,
  d.created_at, d.died_at as failed_at, d.topic
from postrider.dead_letters d
where d.listener not like 'queue:%';
