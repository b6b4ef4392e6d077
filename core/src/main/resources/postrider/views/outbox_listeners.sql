-- Compatibility view: the listeners by the names of a hand-written outbox, for existing dashboards and scripts. New code reads
-- listeners. docs/names.md
--   last_processed_id  the position of the last event that the listener has finished
--   retry_count        failed attempts at the event that it is retrying
create or replace view postrider.outbox_listeners as
select l.name as listener_id, l.position as last_processed_id, l.last_progress_at as last_processed_at,
  l.attempts as retry_count, l.retry_after, l.last_error_code, l.last_error, l.created_at,
  coalesce(l.last_progress_at, l.created_at) as updated_at, l.topic, l.lag as pending_count, l.paused, l.owner as locked_by
from postrider.listeners l;
