-- an attempt at an event behind the cursor failed and will be retried after a wait. touches: setback
-- never: restores one that another worker has cleared or begun again meanwhile
update postrider.setback s
set retry_after = clock_timestamp() + :wait * interval '1 millisecond', error_code = :code, error = :error,
  stack = :stack
where s.listener = :listener and s.position = :position and s.attempt = :attempt
