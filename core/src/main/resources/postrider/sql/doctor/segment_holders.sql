-- sessions that use a segment which retention wants to empty or drop: it needs the segment's tables alone for a moment
select k.pid, coalesce(a.usename, '')::text as user_name, coalesce(a.application_name, '') as application,
  coalesce(a.state, '') as state,
  coalesce(extract(epoch from clock_timestamp() - min(a.xact_start)), 0)::int8 as seconds, coalesce(a.query, '') as query
from postrider.segment s
join pg_class c on c.relname in ('event_' || s.low, 'log_' || s.low)
  and c.relnamespace = (select n.oid from pg_namespace n where n.nspname = 'postrider')
join pg_locks k on k.locktype = 'relation' and k.relation = c.oid and k.granted
  and k.database = (select d.oid from pg_database d where d.datname = current_database())
join pg_stat_activity a on a.pid = k.pid
where s.family = 'log'
and s.closed_at < clock_timestamp() - :keep * interval '1 millisecond'
and k.pid <> pg_backend_pid()
group by k.pid, a.usename, a.application_name, a.state, a.query
order by min(a.xact_start)
limit 3
