-- the sink of a relay is available again. touches: listener
update postrider.listener l
set unavailable_since = null, unavailable_tries = 0, unavailable_error = null, unavailable_until = null
where l.name = :listener and l.unavailable_since is not null
