-- the oldest position that retention has kept; one after the head if there is none. touches: log, head
select coalesce(
  (select l.position from postrider.log l where l.topic = :topic order by l.position limit 1),
  (select h.position + 1 from postrider.head h where h.topic = :topic order by h.position desc limit 1),
  1) as position
