-- what the log has will be recorded again: then it is missing no more, however it came to be. touches: event_log_forgotten
update postrider.event_log_forgotten f
set position = least(f.position, :position)
where f.topic = :topic
