-- a job that goes by itself goes on doing so. gives: a row if it was ours still. touches: delayed
update postrider.delayed d
set worker = null, claimed_at = null, why = :why, due_at = clock_timestamp() + :wait * interval '1 millisecond',
  attempt = d.attempt - case when :counted then 0 else 1 end, crashes = 0,
  error_code = coalesce(:code, d.error_code), error = coalesce(:error, d.error)
where d.topic = :topic and d.position = :position and d.worker = :worker and d.attempt = :attempt
returning position
