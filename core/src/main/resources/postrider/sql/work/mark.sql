-- marks a transaction as one of a worker, to its end: a takeover can tell it and end it (end_ghosts), and settle() can tell by
-- the setting that it is still the same. locks: shared, and nobody ever waits for it
select pg_advisory_xact_lock_shared('postrider.delayed'::regclass::oid::int4, (:worker % 2147483647)::int4)::text
  || set_config('postrider.job', :job::text, true) as marked
