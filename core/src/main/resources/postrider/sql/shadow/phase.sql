-- the shadow phase of a listener and what is recorded of it, beginning with the latest :most events. gives: no row if there is no
-- such listener; recorded_from is null if nothing is recorded. since: no other publisher has sent any of these events before
select l.topic, l.sink, l.shadow_from, l.live_from, w.recorded_from, w.recorded_to,
  least(w.recorded_at, (
    select e.created_at
    from postrider.log g
    join postrider.event e on e.tx = g.tx and e.id = g.id
    where g.topic = l.topic and g.position = w.recorded_from)) as since
from postrider.listener l
left join lateral (
  select min(w.from_position) as recorded_from, max(w.to_position) as recorded_to, min(w.at) as recorded_at
  from (
    select s.from_position, s.to_position, s.at,
      sum(cardinality(s.positions)) over (order by s.from_position desc) - cardinality(s.positions) as later
    from postrider.shadow s
    where s.listener = l.name) w
  where w.later < :most) w on true
where l.name = :listener
