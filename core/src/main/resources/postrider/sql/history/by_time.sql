-- events before a time, the latest first, at most :most, and fewer if they are large. ReadConditions inserts the conditions.
-- touches: event_log
select r.*
from (
  select r.*, sum(octet_length(r.payload) + octet_length(r.headers)) over (order by r.created_at desc, r.topic desc, r.position desc) as running
  from (
    select e.topic, e.position, e.event_id, e.event_type as type, e.key, e.project_id, e.user_id, e.aggregate_type,
      e.aggregate_id, e.payload::text as payload, e.headers::text as headers, e.created_at
    from postrider.event_log e
    where true /* conditions */
    and e.created_at <= :at
    and (e.created_at, e.topic, e.position) < (:at, :topic_before, :position_before)
    order by e.created_at desc, e.topic desc, e.position desc
    limit :most
  ) r
) r
where r.running - octet_length(r.payload) - octet_length(r.headers) < :bytes
order by r.created_at desc, r.topic desc, r.position desc
