-- an event that had failed succeeded. gives: 1, or 0 if somebody else has begun another attempt. touches: setback
delete from postrider.setback s
where s.listener = :listener and s.position = :position and s.attempt = :attempt
