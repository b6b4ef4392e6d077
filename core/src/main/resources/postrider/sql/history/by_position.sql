-- events ordered by position, at most :most, and fewer if they are large. ReadConditions inserts the conditions.
-- touches: event_log
select r.*
from (
  select r.*, sum(octet_length(r.payload) + octet_length(r.headers)) over (order by r.position) as running
  from (
    select e.topic, e.position, e.event_id, e.event_type as type, e.key, e.project_id, e.user_id, e.aggregate_type,
      e.aggregate_id, e.payload::text as payload, e.headers::text as headers, e.created_at
    from postrider.event_log e
    where true /* conditions */
    and e.position > :after
    order by e.position
    limit :most
  ) r
) r
where r.running - octet_length(r.payload) - octet_length(r.headers) < :bytes
order by r.position
