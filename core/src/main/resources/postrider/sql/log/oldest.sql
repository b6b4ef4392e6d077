-- the oldest position from which the log is complete; one after the head if nothing is left. touches: forgotten, log, head
select coalesce(
  (select f.position + 1 from postrider.forgotten f where f.topic = :topic),
  (select l.position from postrider.log l where l.topic = :topic order by l.position limit 1),
  (select h.position + 1 from postrider.head h where h.topic = :topic order by h.position desc limit 1),
  1) as position
