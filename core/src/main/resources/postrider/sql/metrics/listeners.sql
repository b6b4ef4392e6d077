-- how far behind each listener is, and since when: events that it has not reached yet, with or without a position, and its failed
-- events. Includes detached listeners: their lag grows although no node runs them. Their oldest event is deleted, so the age
-- counts from the last progress
select l.name, l.lag + l.setbacks as pending, l.detached_at is not null as detached, l.dead_letters, coalesce(extract(epoch from clock_timestamp() - least(
    l.unpositioned_since,
    (select e.created_at from postrider.log g join postrider.event e on e.tx = g.tx and e.id = g.id
      where g.topic = l.topic and g.position = l.position + 1),
    (select min(s.created_at) from postrider.setback s where s.listener = l.name),
    case when l.detached_at is not null then l.last_progress_at end)), 0)::float8 as age
from postrider.listeners l
order by l.name
limit :most
