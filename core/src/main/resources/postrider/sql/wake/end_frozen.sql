-- Terminates the connections of nodes that hold a session lock of ours and have been silent for 10 s. A wire sends a statement at
-- least once a second; a silent one belongs to a process that is stopped or unreachable, and others wait for its locks.
-- The same for a transaction that has written its delivery and does not commit: its successor waits for the ledger. A wire that is
-- busy on the server is spared, and so is a producer with an open transaction: it holds the idle lock shared, not exclusively.
-- Needs no right beyond being the same role.
-- Finds the sessions first and terminates them in a second step: as one more condition of the query, pg_terminate_backend() could
-- be evaluated first, for every connection of the cluster.
with frozen as materialized (
  select a.pid
  from (
    select distinct k.pid
    from pg_locks k
    where k.locktype = 'advisory'
    and k.database = (select d.oid from pg_database d where d.datname = current_database())
    and (k.classid = 'postrider.event'::regclass::oid and k.objid in (1, 3)
      or k.classid in ('postrider.listener'::regclass::oid, 'postrider.delivery'::regclass::oid,
        'postrider.worker'::regclass::oid))
    and k.objsubid = 2
    and k.mode = 'ExclusiveLock'
    and k.granted
    and k.pid <> pg_backend_pid()
  ) k
  join pg_stat_activity a on a.pid = k.pid
  where (a.state like 'idle%' or a.wait_event_type = 'Client')
  and a.state_change < clock_timestamp() - interval '10 seconds'
  and a.usename = current_user
)
select f.pid
from frozen f
where pg_terminate_backend(f.pid)
