-- uncounts an attempt that failed only because the sink was unavailable. If it was the first, its setback is deleted, unless the
-- event waits behind the cursor. touches: setback
with uncounted as (
  update postrider.setback s
  set attempt = s.attempt - 1, retry_after = clock_timestamp()
  where s.listener = :listener and s.position = :position and s.attempt = :attempt and (s.attempt > 1 or not :ahead)
  returning s.position
)
delete from postrider.setback s
where s.listener = :listener and s.position = :position and s.attempt = :attempt
and not exists (select from uncounted)
