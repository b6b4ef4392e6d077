-- the session or prepared transaction that holds the sequencing lock or one that conflicts with it, the oldest first; a pass holds it
-- for milliseconds
select k.pid, coalesce(a.usename::text, p.owner::text, '') as user_name, coalesce(a.application_name, '') as application,
  case when k.pid is null then 'prepared' else coalesce(a.state, '') end as state,
  coalesce(extract(epoch from clock_timestamp() - coalesce(a.xact_start, a.state_change, p.prepared)), -1)::int8 as seconds,
  coalesce(a.query, p.gid, '') as query
from pg_locks k
left join pg_stat_activity a on a.pid = k.pid
left join pg_locks x on k.pid is null and x.pid is null and x.locktype = 'transactionid'
  and x.virtualtransaction = k.virtualtransaction
left join pg_prepared_xacts p on p.transaction = x.transactionid
where k.locktype = 'relation'
and k.database = (select d.oid from pg_database d where d.datname = current_database())
and k.relation = 'postrider.sequencing'::regclass
and k.mode in ('ShareUpdateExclusiveLock', 'ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
and k.granted
and k.pid is distinct from pg_backend_pid()
order by coalesce(a.xact_start, a.state_change, p.prepared)
limit 1
