-- marks a transaction as one of a tenure, to its end: by a lock, so that a successor can tell it and end it (end_ghosts), and by
-- a setting, so that deliver() can tell that it is still the same. locks: shared, and nobody ever waits for it
select pg_advisory_xact_lock_shared('postrider.tenure'::regclass::oid::int4, (:tenure % 2147483647)::int4)::text
  || set_config('postrider.tenure', :tenure::text, true) as marked
