-- the sink of a relay cannot be reached, and is retried after a wait. touches: listener
update postrider.listener l
set unavailable_since = coalesce(l.unavailable_since, clock_timestamp()), unavailable_tries = :tries,
  unavailable_error = :error, unavailable_until = clock_timestamp() + :wait * interval '1 millisecond'
where l.name = :listener
