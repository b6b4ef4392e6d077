-- the sessions that hold a lock on a table which writers take, the oldest transaction first
select s.pid, coalesce(s.usename::text, '') as role, coalesce(s.application_name, '') as application,
  coalesce(extract(epoch from clock_timestamp() - s.xact_start)::int8, 0) as seconds
from pg_locks l
join pg_stat_activity s on s.pid = l.pid
where l.locktype = 'relation' and l.relation = :source::regclass and l.granted and l.pid <> pg_backend_pid()
and l.database = (select d.oid from pg_database d where d.datname = current_database())
order by s.xact_start nulls last
limit 1
