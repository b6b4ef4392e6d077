-- takes the lock of a worker's number for as long as the connection lasts. gives: whether the number is still to be had: the
-- worker has not been taken over. locks: the number, of the session
select (:pooled or pg_try_advisory_lock('postrider.worker'::regclass::oid::int4, (:worker % 2147483647)::int4))
  and exists (select from postrider.worker w where w.id = :worker and w.ended_at is null) as worn
