-- an attempt at an event behind the cursor failed and will be made again after a wait. touches: setback
-- never: brings back one that somebody else has cleared or begun again meanwhile
update postrider.setback s
set retry_after = clock_timestamp() + :wait * interval '1 millisecond', error = :error, stack = :stack
where s.listener = :listener and s.position = :position and s.attempt = :attempt
