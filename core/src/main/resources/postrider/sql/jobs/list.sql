-- the latest jobs of a queue between these positions of its lanes, in one state or all; limited in number and in bytes.
-- Each lane is ordered by position, because the next page is found by position (list_window.sql). The lanes are merged by reached:
-- the time of a job, or an earlier time of a job before it. behind: how many were left out for their size
select r.*
from (
  select r.*, sum(r.size) over latest as running, count(*) over () - row_number() over latest as behind
  from (
    select r.id, r.queue, r.job_type, r.priority, r.state, r.run_at, r.attempt_count, r.locked_by, r.lease_expires_at,
      r.last_error_code, r.last_error_message, r.created_at, r.claimed_at, r.finished_at, r.key, r.project_id, r.user_id,
      r.payload::text as payload, r.result::text as result, r.progress, r.progress_note, r.waits_for, r.topic, r.position, r.stack,
      r.reached, octet_length(r.payload::text) + coalesce(octet_length(r.result::text), 0) as size
    from (
      select j.id, j.queue, j.job_type, j.priority, j.state, j.run_at, j.attempt_count, j.locked_by, j.lease_expires_at,
        j.last_error_code, j.last_error_message, j.created_at, j.claimed_at, j.finished_at, j.key, j.project_id, j.user_id, j.payload,
        j.result, j.progress, j.progress_note, j.waits_for, j.topic, j.position, j.stack,
        min(j.created_at) over (partition by j.topic order by j.position desc) as reached
      from postrider.jobs j
      where (j.topic = :high_topic and j.position between :high_bottom and :high_top
        or j.topic = :normal_topic and j.position between :normal_bottom and :normal_top
        or j.topic = :low_topic and j.position between :low_bottom and :low_top)
      and (:state::text is null or j.state = :state)
      order by reached desc, j.topic desc, j.position desc
      limit :most
    ) r
    offset 0
  ) r
  window latest as (order by r.reached desc, r.topic desc, r.position desc)
) r
where r.running - r.size < :bytes
order by r.reached desc, r.topic desc, r.position desc
