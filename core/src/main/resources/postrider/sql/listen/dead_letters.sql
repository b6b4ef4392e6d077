-- dead letters by filter, oldest first: shared by list, replay and discard. Null leaves out a condition. At most :most, and
-- fewer if they are large; behind: how many of those were left out for their size
select r.*
from (
  select r.*, sum(octet_length(r.payload) + octet_length(r.headers)) over oldest as running, count(*) over () - row_number() over oldest as behind
  from (
    select d.id, d.listener, d.position, d.topic, d.event_id, d.created_at, d.type, d.key, d.project_id, d.user_id,
      d.aggregate_type, d.aggregate_id, d.payload::text as payload, d.headers::text as headers, d.attempts, d.error, d.died_at,
      d.stack, d.last_error_code
    from postrider.dead_letters d
    where (:id::text is null or d.id = :id::int8)
    and (:listener::text is null or d.listener = :listener)
    and (:topic::text is null or d.topic = :topic)
    and (:type::text is null or d.type = :type)
    and (:key::text is null or d.key = :key)
    and (:error::text is null or strpos(d.error, :error) > 0)
    and d.id > :after
    order by d.id
    limit :most
  ) r
  window oldest as (order by r.id)
) r
where r.running - octet_length(r.payload) - octet_length(r.headers) < :bytes
order by r.id
