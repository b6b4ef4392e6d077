-- Releases what reserve_locks took, also if it took only some. Needs no entry of the lock table.
select count(*) filter (where pg_advisory_unlock_shared(k.classid::int4, k.objid::int4)) as freed
from pg_lock_status() k
where k.pid = pg_backend_pid()
and k.locktype = 'advisory'
and k.classid = 'postrider.sequencing'::regclass::oid
and k.objsubid = 2
and k.mode = 'ShareLock'
