-- the positions of events by their id or by a header, among positions around a range
select l.position, e.event_id::text as event_id, e.headers ->> :header as other_id
from postrider.log l
join postrider.event e on e.tx = l.tx and e.id = l.id
where l.topic = :topic and l.position > :after
and (e.event_id::text = any (:ids) or e.headers ->> :header = any (:ids))
