-- removes what the event log has of a topic behind the topic's head: the log was another one once. touches: event_log
delete from postrider.event_log e
where e.topic = :topic
and e.position > coalesce((
  select h.position from postrider.head h where h.topic = :topic order by h.position desc limit 1), 0)
