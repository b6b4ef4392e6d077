-- takes the lock of a worker's number for as long as the connection lasts. gives: worn; held, if another session has it: our
-- last one, of which the server does not know yet that it is gone; ended, if the worker has been taken over.
-- locks: the number, of the session
select case
    when not exists (select from postrider.worker w where w.id = :worker and w.ended_at is null) then 'ended'
    when :pooled or pg_try_advisory_lock('postrider.worker'::regclass::oid::int4, (:worker % 2147483647)::int4) then 'worn'
    else 'held'
  end as badge
