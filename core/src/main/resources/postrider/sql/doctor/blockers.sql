-- sessions and prepared transactions that have kept others waiting for a table or a lock of the schema for more than 5 s.
-- Reads no table of ours, which may be the one that is locked. pg_blocking_pids() says 0 for a prepared transaction.
with waiting as materialized (
  select k.pid, k.locktype, k.relation, k.classid, k.objid, k.waitstart, c.relname
  from pg_locks k
  join pg_class c on c.oid = coalesce(k.relation, k.classid) and c.relnamespace = 'postrider'::regnamespace
  where not k.granted
  and k.locktype in ('relation', 'advisory')
  and k.database = (select d.oid from pg_database d where d.datname = current_database())
  and k.waitstart < clock_timestamp() - interval '5 seconds'
), blocking as (
  select b.pid, w.locktype, w.relation, w.classid, w.objid, w.relname, count(*) as waiting, min(w.waitstart) as since
  from waiting w, lateral (select distinct b from unnest(pg_blocking_pids(w.pid)) b) b (pid)
  group by b.pid, w.locktype, w.relation, w.classid, w.objid, w.relname
)
select nullif(b.pid, 0) as pid, coalesce(a.usename::text, p.owner::text, '') as user_name,
  coalesce(a.application_name, '') as application, coalesce(a.state, 'prepared') as state,
  extract(epoch from clock_timestamp() - min(b.since))::int8 as seconds, coalesce(a.query, p.gid, '') as query,
  max(b.waiting) as waiting, string_agg(distinct b.relname, ', ') as locked
from blocking b
left join pg_stat_activity a on a.pid = b.pid
left join lateral (
  select x.transactionid
  from pg_locks k
  join pg_locks x on x.pid is null and x.locktype = 'transactionid' and x.virtualtransaction = k.virtualtransaction
  where b.pid = 0 and k.pid is null and k.locktype = b.locktype
  and k.relation is not distinct from b.relation and k.classid is not distinct from b.classid
  and k.objid is not distinct from b.objid
) x on true
left join pg_prepared_xacts p on p.transaction = x.transactionid
group by b.pid, a.usename, p.owner, a.application_name, a.state, a.query, p.gid
order by min(b.since)
limit 5
