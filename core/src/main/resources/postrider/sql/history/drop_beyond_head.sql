-- deletes the rows of a topic beyond its head: they come from a log that was replaced. touches: event_log
delete from postrider.event_log e
where e.topic = :topic
and e.position > coalesce((
  select h.position from postrider.head h where h.topic = :topic order by h.position desc limit 1), 0)
