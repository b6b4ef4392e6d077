-- Takes entries of the server's lock table, to be given back when it is full: then this session can still look for the one that
-- filled it. The keys are of this session alone, and it never waits.
select count(*) filter (where pg_try_advisory_lock_shared('postrider.sequencing'::regclass::oid::int4, pg_backend_pid() * 32 + i)) as taken
from generate_series(0, 31) i
