-- takes back an attempt that was counted and came to nothing because the sink was not there. One that would have been the first
-- is gone with its setback, unless the event waits behind the cursor. touches: setback
with uncounted as (
  update postrider.setback s
  set attempt = s.attempt - 1, retry_after = clock_timestamp()
  where s.listener = :listener and s.position = :position and s.attempt = :attempt and (s.attempt > 1 or not :ahead)
  returning s.position
)
delete from postrider.setback s
where s.listener = :listener and s.position = :position and s.attempt = :attempt
and not exists (select from uncounted)
