-- the session that holds the advisory lock of the first migration
select k.pid, coalesce(a.usename::text, a.usesysid::text, '?') as role, coalesce(nullif(a.application_name, ''), '?') as application
from pg_locks k
left join pg_stat_activity a on a.pid = k.pid
where k.locktype = 'advisory'
and k.database = (select d.oid from pg_database d where d.datname = current_database())
and k.classid = hashtext('postrider migrate')::oid
and k.objid = hashtext('postrider')::oid
and k.objsubid = 2
and k.granted
and k.pid <> pg_backend_pid()
limit 1
