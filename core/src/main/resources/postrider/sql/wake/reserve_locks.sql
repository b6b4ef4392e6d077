-- Takes entries of the server's lock table, to be released when it is full: then this session can still search for the session that
-- filled it. The keys belong to this session alone, and it never waits.
select count(*) filter (where pg_try_advisory_lock_shared('postrider.sequencing'::regclass::oid::int4, pg_backend_pid() * 32 + i)) as taken
from generate_series(0, 31) i
