-- touches: head
select coalesce((
  select h.position from postrider.head h where h.topic = :topic order by h.position desc limit 1), 0) as position
