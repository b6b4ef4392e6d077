-- a session that holds a lock of the table of migrations that conflicts with that of a migration
select k.pid, coalesce(a.usename::text, a.usesysid::text, '?') as role, coalesce(nullif(a.application_name, ''), '?') as application
from pg_locks k
left join pg_stat_activity a on a.pid = k.pid
where k.locktype = 'relation'
and k.database = (select d.oid from pg_database d where d.datname = current_database())
and k.relation = 'postrider.migration'::regclass
and k.mode not in ('AccessShareLock', 'RowShareLock', 'RowExclusiveLock')
and k.granted
and k.pid <> pg_backend_pid()
limit 1
