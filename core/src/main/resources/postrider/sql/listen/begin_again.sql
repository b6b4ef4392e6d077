-- counts another attempt at an event behind the cursor. gives: its number; no row if the event is gone or another attempt
-- has begun. The error stays, as in begin_attempt.sql. touches: setback
update postrider.setback s
set attempt = s.attempt + 1, begun_at = clock_timestamp(), worker = :worker, retry_after = null
where s.listener = :listener and s.position = :position and s.attempt = :attempt
returning s.attempt
