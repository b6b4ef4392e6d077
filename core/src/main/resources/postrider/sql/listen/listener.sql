select l.name, l.topic, l.paused, l.detached_at, l.course, l.unavailable_tries,
  greatest(0, coalesce(extract(epoch from l.unavailable_until - clock_timestamp()) * 1000, 0))::int8 as unavailable_millis,
  c.to_position as cursor,
  coalesce((select max(e.era) from postrider.era e), 0) as era
from postrider.listener l
left join lateral (
  select d.to_position from postrider.delivery d where d.listener = l.name
  order by d.n desc limit 1) c on true
where l.name = :listener
