-- takes the lock of a worker's number for as long as the connection lasts. gives: worn; held, if another session has it: our
-- last one, whose end the server has not noticed yet; ended, if the worker has been taken over or belongs to another node;
-- forgotten, if the server may have lost commits that the worker knows: the number is locked, but may not claim any more.
-- locks: the number, of the session
select case
    when not exists (select from postrider.worker w where w.id = :worker and w.node = :node and w.ended_at is null) then 'ended'
    when not :pooled and not pg_try_advisory_lock('postrider.worker'::regclass::oid::int4, (:worker % 2147483647::bigint)::int4)
      then 'held'
    when not postrider.is_present(:worker) then 'forgotten'
    else 'worn'
  end as badge
