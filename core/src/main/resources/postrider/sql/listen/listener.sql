select l.name, l.topic, l.paused, l.detached_at, c.to_position as cursor
from postrider.listener l
left join lateral (
  select d.to_position from postrider.delivery d where d.listener = l.name
  order by d.from_position desc, d.n desc limit 1) c on true
where l.name = :listener
