-- the session that holds the sequencing lock; a pass holds it for milliseconds
select k.pid, coalesce(a.usename, '')::text as user_name, coalesce(a.application_name, '') as application,
  coalesce(a.state, '') as state,
  coalesce(extract(epoch from clock_timestamp() - coalesce(a.xact_start, a.state_change)), 0)::int8 as seconds,
  coalesce(a.query, '') as query
from pg_locks k
left join pg_stat_activity a on a.pid = k.pid
where k.locktype = 'relation'
and k.database = (select d.oid from pg_database d where d.datname = current_database())
and k.relation = 'postrider.sequencing'::regclass
and k.mode = 'ExclusiveLock'
and k.granted
and k.pid <> pg_backend_pid()
limit 1
