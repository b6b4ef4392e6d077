-- whether this transaction is the only one that takes the worker over. locks: the rescue of the worker, to the end of the
-- transaction; nobody waits for it
select pg_try_advisory_xact_lock('postrider.finish'::regclass::oid::int4, (:worker % 2147483647)::int4) as got
