-- transactions that have emitted and have not ended, the oldest first: a transaction that writes to event keeps a lock on it until
-- it ends. Their events have no position and are invisible to others. pid is null for a prepared transaction, which is found by
-- the transaction number it has locked: its virtualtransaction is '-1/number' up to PostgreSQL 16 and something else later.
-- A role outside pg_monitor does not see when a transaction of another role began, but sees its transaction number: a transaction
-- that was running during a pass more than a minute ago is at least that old
with minute as materialized (
  select p.at, p.snapshot from postrider.pass p
  where p.at < clock_timestamp() - interval '1 minute' order by p.n desc limit 1
)
select k.pid, coalesce(a.usename::text, p.owner::text, '') as user_name, coalesce(a.application_name, '') as application,
  case when k.pid is null then 'prepared' else coalesce(a.state, '') end as state,
  coalesce(extract(epoch from clock_timestamp() - coalesce(a.xact_start, p.prepared, (
    select m.at from minute m
    where age(a.backend_xid) > (pg_snapshot_xmax(pg_current_snapshot())::text)::int8
      - (pg_snapshot_xmax(m.snapshot)::text)::int8))), -1)::int8 as seconds,
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
order by coalesce(a.xact_start, p.prepared), age(a.backend_xid) desc
limit 3
