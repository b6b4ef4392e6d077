-- transactions that have emitted and have not ended, the oldest first: who writes to event keeps a lock on it until then.
-- Their events have no position and nobody else can see them. pid is null for a prepared transaction, which is known by
-- the number it has locked: its virtualtransaction is '-1/number' up to PostgreSQL 16 and something else later
select k.pid, coalesce(a.usename::text, p.owner::text, '') as user_name, coalesce(a.application_name, '') as application,
  coalesce(a.state, 'prepared') as state,
  coalesce(extract(epoch from clock_timestamp() - coalesce(a.xact_start, p.prepared)), 0)::int8 as seconds,
  coalesce(a.query, p.gid, '') as query
from (
  select distinct k.pid, k.virtualtransaction
  from pg_locks k
  where k.locktype = 'relation'
  and k.database = (select d.oid from pg_database d where d.datname = current_database())
  and k.relation = 'postrider.event'::regclass
  and k.mode = 'RowExclusiveLock'
  and k.granted
  and k.pid is distinct from pg_backend_pid()
) k
left join pg_stat_activity a on a.pid = k.pid
left join pg_locks x on k.pid is null and x.pid is null and x.locktype = 'transactionid'
  and x.virtualtransaction = k.virtualtransaction
left join pg_prepared_xacts p on p.transaction = x.transactionid
order by coalesce(a.xact_start, p.prepared)
limit 3
