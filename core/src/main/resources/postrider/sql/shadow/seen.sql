-- what a reading has found, in order
select e.lane, e.id, e.message, e.payload
from postrider.shadow_seen s
cross join lateral unnest(s.lanes, s.ids, s.messages, s.payloads) with ordinality e (lane, id, message, payload, at)
where s.reading = :reading
order by s.n, e.at
