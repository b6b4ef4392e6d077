-- sessions and prepared transactions that have kept others waiting for a table, a lock or a row of the schema for more than 5 s.
-- Reads no table of ours, which may be the one that is locked. pg_blocking_pids() says 0 for a prepared transaction.
-- A wait for a row or a unique key is a wait for a transaction and does not say for which table: it counts if the waiting session
-- writes to one of ours. Tables of the log do not count, because a transaction that emitted may wait for a row of the application's.
with ours as materialized (
  select k.pid, k.locktype, k.relation, k.classid, k.objid, k.mode, k.granted, k.waitstart, c.relname::text as relname
  from pg_locks k
  join pg_class c on c.oid = coalesce(k.relation, k.classid) and c.relnamespace = 'postrider'::regnamespace
  where k.locktype in ('relation', 'advisory', 'tuple')
  and k.database = (select d.oid from pg_database d where d.datname = current_database())
), waiting as materialized (
  select o.pid, o.locktype, o.relation, o.classid, o.objid, null as transaction, o.waitstart,
    case o.locktype when 'tuple' then 'a row of ' else '' end || o.relname as locked
  from ours o
  where not o.granted
  and o.waitstart < clock_timestamp() - interval '5 seconds'
  union all
  select k.pid, k.locktype, null, null, null, k.transactionid::text, k.waitstart, 'a row of ' || string_agg(distinct o.relname, ' or ')
  from pg_locks k
  join ours o on o.pid = k.pid and o.granted and o.locktype = 'relation' and o.mode = 'RowExclusiveLock'
  join pg_class c on c.oid = o.relation and c.relkind in ('r', 'p')
  where not k.granted
  and k.locktype in ('transactionid', 'spectoken')
  and k.waitstart < clock_timestamp() - interval '5 seconds'
  and o.relname !~ '^(event|log)(_|$)'
  group by k.pid, k.locktype, k.transactionid::text, k.waitstart
), blocking as (
  select b.pid, w.locktype, w.relation, w.classid, w.objid, w.transaction, w.locked, count(*) as waiting, min(w.waitstart) as since
  from waiting w, lateral (select distinct b from unnest(pg_blocking_pids(w.pid)) b) b (pid)
  group by b.pid, w.locktype, w.relation, w.classid, w.objid, w.transaction, w.locked
)
select nullif(b.pid, 0) as pid, coalesce(a.usename::text, p.owner::text, '') as user_name,
  coalesce(a.application_name, '') as application, case b.pid when 0 then 'prepared' else coalesce(a.state, '') end as state,
  extract(epoch from clock_timestamp() - min(b.since))::int8 as seconds, coalesce(a.query, p.gid, '') as query,
  max(b.waiting) as waiting, string_agg(distinct b.locked, ', ') as locked
from blocking b
left join pg_stat_activity a on a.pid = b.pid
left join lateral (
  select x.transactionid
  from pg_locks k
  join pg_locks x on x.pid is null and x.locktype = 'transactionid' and x.virtualtransaction = k.virtualtransaction
  where b.pid = 0 and k.pid is null and k.locktype = b.locktype
  and k.relation is not distinct from b.relation and k.classid is not distinct from b.classid
  and k.objid is not distinct from b.objid and (b.transaction is null or k.transactionid::text = b.transaction)
) x on true
left join pg_prepared_xacts p on p.transaction = x.transactionid
group by b.pid, a.usename, p.owner, a.application_name, a.state, a.query, p.gid
order by min(b.since)
limit 5
