-- the latest jobs of a queue before a place, in one state or all; at most so many, and fewer if they are large.
-- behind: how many of those were left out for their size
select r.*
from (
  select r.*, sum(r.size) over latest as running, count(*) over () - row_number() over latest as behind
  from (
    select j.id, j.queue, j.job_type, j.priority, j.state, j.run_at, j.attempt_count, j.locked_by, j.lease_expires_at, j.last_error_code,
      j.last_error_message, j.created_at, j.claimed_at, j.finished_at, j.key, j.project_id, j.user_id, j.payload::text as payload,
      j.result::text as result, j.progress, j.progress_note, j.waits_for, j.topic, j.position, j.stack,
      octet_length(j.payload::text) + coalesce(octet_length(j.result::text), 0) as size
    from postrider.jobs j
    where j.topic = any (postrider.lanes(:queue))
    and (:state::text is null or j.state = :state)
    and (:before_at::timestamptz is null
      or (j.created_at, j.topic, j.position) < (:before_at::timestamptz, :before_topic::text, :before_position::bigint))
    order by j.created_at desc, j.topic desc, j.position desc
    limit :most
  ) r
  window latest as (order by r.created_at desc, r.topic desc, r.position desc)
) r
where r.running - r.size < :bytes
order by r.created_at desc, r.topic desc, r.position desc
