-- the session with the oldest transaction that holds a lock on a table, view or sequence of the schema. Only pg_monitor sees when
-- another role's transaction began, so such a session comes first. A weak lock needs no privileges: a refused nextval() leaves one
select k.pid, coalesce(a.usename::text, a.usesysid::text, '?') as role, coalesce(nullif(a.application_name, ''), '?') as application,
  string_agg(distinct c.relname::text, ', ') as locked
from pg_locks k
join pg_class c on c.oid = k.relation
  and c.relnamespace = (select n.oid from pg_namespace n where n.nspname = 'postrider')
join pg_stat_activity a on a.pid = k.pid
where k.locktype = 'relation'
and k.database = (select d.oid from pg_database d where d.datname = current_database())
and k.granted
and k.pid <> pg_backend_pid()
and c.relkind in ('r', 'p', 'v', 'S')
group by k.pid, a.usename, a.usesysid, a.application_name, a.xact_start
order by a.xact_start nulls first
limit 1
