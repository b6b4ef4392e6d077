-- the events of some rooms in the order of a topic, each once even if it is in two rooms. Reads at most one page of each room.
-- Payloads become text in chunks, until they fill the page: converting 200 large ones for the three that fit took most of the
-- time. The size of a compressed payload is unknown before that, so a chunk has at most eight of them. touches: event_log
with recursive found as materialized (
  select r.*, r.chunk is distinct from lead(r.chunk) over (order by r.position) as is_last
  from (
    select r.*, sum(w.weight) over (order by r.position) / 65536 as chunk
    from (
      select distinct on (r.position) r.topic, r.position, r.event_id, r.event_type, r.key, r.project_id, r.user_id,
        r.aggregate_type, r.aggregate_id, r.payload, r.headers, r.created_at
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
    cross join lateral (
      select case when pg_column_compression(r.payload) is null and pg_column_compression(r.headers) is null
        then least(pg_column_size(r.payload) + pg_column_size(r.headers), 8192) else 8192 end as weight
    ) w
  ) r
),
page as (
  select 0::bigint as position, null::text as payload, null::text as headers, 0::bigint as bytes, 0::numeric as running,
    -1::bigint as chunk, true as is_last
  union all
  select r.position, t.payload, t.headers, t.bytes, p.running + sum(t.bytes) over (order by r.position), r.chunk, r.is_last
  from page p
  join found r on r.chunk = p.chunk + 1
  cross join lateral (
    select t.payload, t.headers, octet_length(t.payload) + octet_length(t.headers)::bigint as bytes
    from (select r.payload::text as payload, r.headers::text as headers offset 0) t
  ) t
  where p.is_last and p.running < :bytes
)
select r.topic, r.position, r.event_id, r.event_type as type, r.key, r.project_id, r.user_id, r.aggregate_type, r.aggregate_id,
  p.payload, p.headers, r.created_at
from page p
join found r on r.position = p.position
where p.running - p.bytes < :bytes
order by r.position
