-- open transactions with a transaction id in any database of the cluster, the oldest first. pass.floor stays below them, so segments
-- in use while they run are not closed. Snapshots without an id and replication slots do not count. Only pg_monitor sees when another
-- role's transaction began; one that was running during an earlier pass counts as being as old as that pass.
-- touches: pass
with before as materialized (
  select p.at, p.snapshot from postrider.pass p
  where p.at < clock_timestamp() - :seconds * interval '1 second' order by p.n desc limit 1
)
select h.pid, coalesce(h.user_name, '') as user_name, coalesce(h.application, '') as application,
  coalesce(h.state, '') as state,
  coalesce(extract(epoch from clock_timestamp() - least(h.since, (
    select b.at from before b where h.transactions > age(pg_snapshot_xmax(b.snapshot)::xid)))), 0)::int8 as seconds,
  coalesce(h.query, '') as query, h.database
from (
  select a.pid, a.usename::text as user_name, a.application_name as application, coalesce(a.state, a.backend_type) as state,
    a.xact_start as since, a.query, coalesce(a.datname::text, '') as database, age(a.backend_xid) as transactions
  from pg_stat_activity a
  where a.backend_xid is not null
  and a.pid <> pg_backend_pid()
  union all
  select null, p.owner::text, '', 'prepared', p.prepared, p.gid, p.database::text, age(p.transaction)
  from pg_prepared_xacts p
) h
order by h.transactions desc, h.since
limit 3
