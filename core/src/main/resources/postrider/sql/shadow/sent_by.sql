-- the events of a range of positions that another listener of the topic has finished live: not those that it does not want, that
-- wait for a retry or that are dead letters, nor those that it only recorded in shadow
select l.position, e.event_id::text as id
from postrider.listener r
join postrider.log l on l.topic = r.topic
join postrider.event e on e.tx = l.tx and e.id = l.id
where r.name = :other and l.position between :from_position and :to_position
and l.position <= (select d.to_position from postrider.delivery d where d.listener = r.name order by d.n desc limit 1)
and (r.types is null or e.type = any (r.types))
and not coalesce(l.position >= r.shadow_from and (r.live_from is null or l.position < r.live_from), false)
and not exists (select from postrider.setback s where s.listener = r.name and s.position = l.position)
and not exists (select from postrider.dead_letter x where x.listener = r.name and x.position = l.position)
order by l.position
