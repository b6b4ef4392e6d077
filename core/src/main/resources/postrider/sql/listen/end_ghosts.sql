-- terminates the transactions of earlier tenures of a listener: of a process that is stopped, or that has lost its connection
-- without noticing. They could not deliver any more, but the successor would wait for the rows they have locked.
-- Only those of the same role, which needs no other right. Finds them first and terminates them afterwards: see end_frozen.
-- touches: tenure
with ghosts as materialized (
  select k.pid
  from postrider.tenure t
  join pg_locks k on k.locktype = 'advisory' and k.classid = 'postrider.tenure'::regclass::oid
    and k.objid = (t.n % 2147483647::bigint)::oid and k.objsubid = 2 and k.granted and k.pid <> pg_backend_pid()
    and k.database = (select d.oid from pg_database d where d.datname = current_database())
  join pg_stat_activity a on a.pid = k.pid and a.usename = current_user
  where t.listener = :listener
  and t.n < :tenure
)
select g.pid
from ghosts g
where pg_terminate_backend(g.pid)
