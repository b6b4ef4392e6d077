-- deletes the rows of a range before it is recorded. There are none, unless the listener was reset, or the log was replaced and has
-- other events at these positions. touches: event_log
delete from postrider.event_log e
where e.topic = :topic
and e.position >= :first
and e.position <= :last
