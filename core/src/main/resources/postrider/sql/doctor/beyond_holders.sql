-- sessions and prepared transactions with a lock on a table beyond the last segment, the oldest first: creating a segment locks this
-- table exclusively. Any role can hold such a lock, because a refused nextval() leaves one
select k.pid, coalesce(a.usename::text, p.owner::text, '') as user_name, coalesce(a.application_name, '') as application,
  case when k.pid is null then 'prepared' else coalesce(a.state, '') end as state,
  coalesce(extract(epoch from clock_timestamp() - coalesce(a.xact_start, p.prepared)), -1)::int8 as seconds,
  coalesce(a.query, p.gid, '') as query, k.tables
from (
  select k.pid, k.virtualtransaction, string_agg(distinct c.relname::text, ', ') as tables
  from pg_locks k
  join pg_class c on c.oid = k.relation and c.relnamespace = 'postrider'::regnamespace and c.relkind = 'r' and c.relname like '%\_beyond'
    and c.relname <> 'event_log_beyond'
  where k.locktype = 'relation'
  and k.database = (select d.oid from pg_database d where d.datname = current_database())
  and k.granted
  and k.pid is distinct from pg_backend_pid()
  group by k.pid, k.virtualtransaction
) k
left join pg_stat_activity a on a.pid = k.pid
left join pg_locks x on k.pid is null and x.pid is null and x.locktype = 'transactionid'
  and x.virtualtransaction = k.virtualtransaction
left join pg_prepared_xacts p on p.transaction = x.transactionid
order by coalesce(a.xact_start, p.prepared) nulls first
limit 3
