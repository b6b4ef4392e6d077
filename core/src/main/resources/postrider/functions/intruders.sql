-- intruders(): sessions and prepared transactions that hold a lock of the nodes although their role may not run a node.
--
-- PostgreSQL lets every role take any advisory lock. It also lets a role wait for a strong lock on a table that it may not even
-- read, and so block all others behind it: CREATE RULE and CREATE TRIGGER take the lock before they check permissions.
-- Sessions that wait for such a lock are listed too, because they would hold it next.
-- All sessions of a server share one lock table, and no session can write when it is full. So a role whose advisory locks take a
-- quarter of it, and at least 1,000 entries, is an intruder whatever their keys are.
-- gives    pid, or gid of a prepared transaction; role, application, what is locked, and for how many seconds
-- touches  the server's locks, sessions and prepared transactions, and pg_class (reads); none of our tables, which may be locked.
--          No catalog that databases share (pg_authid, pg_database), and so no view like pg_stat_activity: locking one needs an
--          entry of the lock table, which may be full. A lock on a catalog of the database needs none, up to 16 per transaction
-- never    names a session for a lock that nodes do not use: an application's own two-key locks may collide with the oid of a table
-- never    counts locks on unique keys of a role that may emit: enqueueAll takes one for each key
-- never    names a role that may become a node's by SET ROLE, or the owner of the database, who may reindex all of it
-- never    names a role that may maintain tables (PostgreSQL 17): VACUUM FULL and REINDEX lock as strongly
create or replace function postrider.intruders(
  out pid int, out gid text, out role text, out application text, out locked text, out seconds bigint)
returns setof record
language sql stable
set search_path = pg_catalog, pg_temp
set jit = off
as $$
  with lock as materialized (
    select k.* from pg_lock_status() k where k.pid is distinct from pg_backend_pid()
  ), holder as (
    select k.pid, k.virtualtransaction,
      min(case
        when k.locktype = 'relation' then 'table ' || c.relname
        when k.objsubid = 2 and k.classid = hashtext('postrider migrate')::oid and k.objid = hashtext('postrider')::oid
          then 'lock of the first migration'
        when k.objsubid = 2 and (c.relname in ('claim', 'delayed', 'delivery', 'event_log', 'finish', 'listener', 'queue', 'segment',
              'settlement', 'tenure', 'worker')
            or c.relname = 'event' and (k.objid = 3 or k.objid = 1 and k.mode = 'ExclusiveLock'))
          then 'advisory lock of ' || c.relname end) as locked,
      count(*) filter (where k.locktype = 'advisory') as locks,
      count(*) filter (where k.locktype = 'advisory' and k.objsubid = 2 and c.relname = 'unique_job') as keys
    from lock k
    left join pg_class c on c.oid = case k.locktype when 'advisory' then k.classid else k.relation end
      and c.relnamespace = 'postrider'::regnamespace
    where k.database = (select a.datid from pg_stat_get_activity(pg_backend_pid()) a)
    and (k.locktype = 'advisory'
      or k.locktype = 'relation' and (k.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
        or k.mode = 'ShareUpdateExclusiveLock' and c.relname = 'sequencing'))
    group by k.pid, k.virtualtransaction
  ), counted as (
    select h.pid, h.locked, h.locks, r.id, p.gid, coalesce(a.application_name, '') as application,
      coalesce(a.xact_start, a.state_change, p.prepared) as since,
      sum(h.locks - case when has_any_column_privilege(r.id, 'postrider.event', 'insert') then h.keys else 0 end)
        over (partition by r.id) as together
    from holder h
    left join pg_stat_get_activity(null) a on a.pid = h.pid
    left join lock x on h.pid is null and x.pid is null and x.locktype = 'transactionid'
      and x.virtualtransaction = h.virtualtransaction
    left join pg_prepared_xact() p on p.transaction = x.transactionid
    cross join lateral (select coalesce(a.usesysid, p.ownerid) as id) r
    where r.id is not null
  )
  select h.pid, h.gid, pg_get_userbyid(h.id)::text, h.application,
    coalesce(h.locked, 'lock table of the server (' || h.locks || ' advisory locks)'),
    coalesce(extract(epoch from clock_timestamp() - h.since), 0)::bigint
  from counted h
  where (h.locked is not null
    or h.locks >= 100 and h.together > greatest(1000, current_setting('max_locks_per_transaction')::bigint
      * (current_setting('max_connections')::bigint + current_setting('max_prepared_transactions')::bigint) / 4))
  and not exists (
    select from pg_class c, aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) g
    where c.oid = 'postrider.pass'::regclass
    and g.privilege_type = 'INSERT'
    and (g.grantee = 0 or pg_has_role(h.id, g.grantee, 'member')))
  and not pg_has_role(h.id, 'pg_write_all_data', 'member')
  and not pg_has_role(h.id, 'pg_database_owner', 'member')
  and case when current_setting('server_version_num')::int >= 170000
    then not has_table_privilege(h.id, 'postrider.pass', 'maintain') else true end
$$;
