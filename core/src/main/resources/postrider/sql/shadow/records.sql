-- what a listener has recorded in shadow from a position on, in order. other_id: the value of a header, by which another
-- publisher knows the event
select p.position, p.event_id, p.message, p.payload, e.other_id
from postrider.shadow s
cross join lateral unnest(s.positions, s.events, s.messages, s.payloads) p (position, event_id, message, payload)
left join lateral (
  select e.headers ->> :header as other_id
  from postrider.log l
  join postrider.event e on e.tx = l.tx and e.id = l.id
  where l.topic = :topic and l.position = p.position) e on true
where s.listener = :listener and s.from_position >= :recorded_from
order by p.position
