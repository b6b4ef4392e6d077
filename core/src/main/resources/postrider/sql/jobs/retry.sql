-- makes a scheduled job due now; a dead one is retried from its first attempt, and takes its unique key again.
-- takes: its lane and position. gives: moved, how many; held_by, the job that holds the unique key now, in which case nothing is moved;
-- bare, whether its dead letter has no content (fill_bare.sql), in which case it stays.
-- touches: delayed, dead_letter, unique_job
with now_due as (
  update postrider.delayed d set due_at = clock_timestamp(), since = clock_timestamp()
  where d.topic = :topic and d.position = :position and d.worker is null
  returning 1
), dead as materialized (
  select r.replayed, r.held_by from postrider.replay_job(:topic, :position) r
)
select count(m.*) as moved, max(pg_notify('postrider', 'steer')::text) as told,
  (select d.held_by::text from dead d) as held_by,
  exists (
    select from postrider.dead_letter x
    where x.listener = :topic and x.position = :position
    and x.error_code = 'unreadable' and x.type = 'unreadable') as bare
from (select 1 from now_due union all select 1 from dead d where d.replayed) m
