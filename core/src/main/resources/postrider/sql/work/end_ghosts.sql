-- ends the transactions in which a worker that is gone was about to settle: of a process that is stopped. They could not
-- settle any more, but the takeover would wait for them. First found, then ended: see end_frozen. Same role only
with ghosts as materialized (
  select k.pid
  from pg_locks k
  join pg_stat_activity a on a.pid = k.pid and a.usename = current_user
  where k.locktype = 'advisory'
  and k.database = (select d.oid from pg_database d where d.datname = current_database())
  and k.classid in ('postrider.settlement'::regclass::oid, 'postrider.delayed'::regclass::oid)
  and k.objid = (:worker % 2147483647)::oid
  and k.objsubid = 2
  and k.granted
  and k.pid <> pg_backend_pid()
)
select g.pid
from ghosts g
where pg_terminate_backend(g.pid)
