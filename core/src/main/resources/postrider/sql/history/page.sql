-- the events of some rooms in the order of a topic, each once, though it may be in two of them. The first of each room, so many
-- as are wanted at all: then no room is read further than that. touches: event_log
select r.*
from (
  select r.*, sum(octet_length(r.payload) + octet_length(r.headers)) over (order by r.position) as running
  from (
    select distinct on (r.position) r.topic, r.position, r.event_id, r.event_type as type, r.key, r.project_id, r.user_id,
      r.aggregate_type, r.aggregate_id, r.payload::text as payload, r.headers::text as headers, r.created_at
    from (
      select e.*
      from unnest(:projects::text[]) p (id)
      cross join lateral (
        select e.* from postrider.event_log e
        where e.project_id = p.id and e.topic = :topic and e.position > :after and e.position <= :upto
        order by e.position
        limit :most) e
      union all
      select e.*
      from unnest(:users::text[]) u (id)
      cross join lateral (
        select e.* from postrider.event_log e
        where e.user_id = u.id and e.topic = :topic and e.position > :after and e.position <= :upto
        order by e.position
        limit :most) e
    ) r
    order by r.position
    limit :most
  ) r
) r
where r.running - octet_length(r.payload) - octet_length(r.headers) < :bytes
order by r.position
