-- forgets gaps that the log can fill: these positions will be recorded again. touches: event_log_forgotten
update postrider.event_log_forgotten f
set position = least(f.position, :position)
where f.topic = :topic
