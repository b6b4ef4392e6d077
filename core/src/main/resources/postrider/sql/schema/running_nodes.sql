-- sessions of nodes that run on this schema: they hold a lock of the sequencer, of a listener or of a worker
select distinct format('pid=%s application=%s', a.pid, a.application_name) as node
from pg_locks k
join pg_stat_activity a on a.pid = k.pid
where k.locktype = 'advisory'
and k.database = (select d.oid from pg_database d where d.datname = current_database())
and (k.classid = 'postrider.event'::regclass::oid and k.objid in (1, 3)
  or k.classid in ('postrider.listener'::regclass::oid, 'postrider.worker'::regclass::oid))
and k.objsubid = 2
and k.mode = 'ExclusiveLock'
and k.granted
order by 1
