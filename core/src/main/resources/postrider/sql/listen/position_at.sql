-- the last position before the first event that was created at a time or later; the head if there is none
select coalesce(
  (select min(l.position) - 1 from postrider.log l join postrider.event e on e.tx = l.tx and e.id = l.id
   where l.topic = :topic and e.created_at >= :time),
  (select h.position from postrider.head h where h.topic = :topic order by h.position desc limit 1),
  0) as position
