-- makes room for a stretch: nothing is there, unless the listener was reset, or the log is another one than it was and has
-- other events at these positions. touches: event_log
delete from postrider.event_log e
where e.topic = :topic
and e.position >= :first
and e.position <= :last
