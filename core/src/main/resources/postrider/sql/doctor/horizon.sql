-- what keeps vacuum from removing dead rows in this database, the furthest back first: sessions with a snapshot or a
-- transaction number, prepared transactions, replication slots, standbys with hot_standby_feedback
select h.kind, h.pid, coalesce(h.user_name, '') as user_name, coalesce(h.application, '') as application,
  coalesce(h.state, '') as state, coalesce(extract(epoch from clock_timestamp() - h.since), 0)::int8 as seconds,
  coalesce(h.query, '') as query, coalesce(h.transactions, 0)::int8 as transactions
from (
  select 'session' as kind, a.pid, a.usename::text as user_name, a.application_name as application,
    coalesce(a.state, a.backend_type) as state, a.xact_start as since, a.query,
    greatest(age(a.backend_xmin), age(a.backend_xid)) as transactions
  from pg_stat_activity a
  where a.datname = current_database()
  and a.pid <> pg_backend_pid()
  and (a.backend_xmin is not null or a.backend_xid is not null)
  and a.backend_type <> 'walsender'
  union all
  select 'prepared transaction', null, p.owner::text, '', 'prepared', p.prepared, p.gid, age(p.transaction)
  from pg_prepared_xacts p
  where p.database = current_database()
  union all
  select 'replication slot', s.active_pid, null, s.slot_name::text, case when s.active then 'active' else 'inactive' end,
    null, s.slot_name::text, greatest(age(s.xmin), age(s.catalog_xmin))
  from pg_replication_slots s
  where s.xmin is not null or s.catalog_xmin is not null
  union all
  select 'standby', r.pid, r.usename::text, r.application_name, r.state, r.backend_start, 'hot_standby_feedback',
    age(r.backend_xmin)
  from pg_stat_replication r
  where r.backend_xmin is not null
) h
order by h.transactions desc nulls last, h.since
limit 3
