-- tries to become the only transaction that takes the worker over. locks: the rescue lock of the worker, to the end of the
-- transaction, without waiting
select pg_try_advisory_xact_lock('postrider.finish'::regclass::oid::int4, (:worker % 2147483647::bigint)::int4) as got
