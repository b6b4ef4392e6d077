-- marks a transaction as one of a tenure, to its end, so that a successor can tell it and end it (end_ghosts).
-- locks: shared, and nobody ever waits for it
select pg_advisory_xact_lock_shared('postrider.tenure'::regclass::oid::int4, (:tenure % 2147483647)::int4)::text as marked
