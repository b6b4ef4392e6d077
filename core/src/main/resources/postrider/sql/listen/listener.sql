select l.name, l.topic, l.paused, l.detached_at, l.course, l.unavailable_tries,
  greatest(0, coalesce(extract(epoch from l.unavailable_until - clock_timestamp()) * 1000, 0))::int8 as unavailable_millis,
  c.to_position as cursor,
  case when l.shadow_from is null then 0 when l.live_from is null then 9223372036854775807 else l.live_from - 1 end as shadow_upto,
  coalesce((select max(e.era) from postrider.era e), 0) as era
from postrider.listener l
left join lateral (
  select d.to_position from postrider.delivery d where d.listener = l.name
  order by d.n desc limit 1) c on true
where l.name = :listener
