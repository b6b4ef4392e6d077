-- listeners that have not passed the oldest closed segment, which therefore stays
select l.name, l.paused, t.last_position - coalesce(c.to_position, 0) as events,
  extract(epoch from clock_timestamp() - o.closed_at)::int8 as seconds
from (
  select s.low, s.closed_at from postrider.segment s
  where s.family = 'log' and s.emptied_at is null and s.closed_at is not null
  order by s.low limit 1
) o
join postrider.segment_topic t on t.low = o.low
join postrider.listener l on l.topic = t.topic
left join lateral (
  select d.to_position from postrider.delivery d where d.listener = l.name
  order by d.n desc limit 1) c on true
where l.detached_at is null
and t.last_position > coalesce(c.to_position, 0)
order by 3 desc
limit 5
