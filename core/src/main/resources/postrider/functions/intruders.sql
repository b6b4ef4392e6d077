-- intruders(): sessions and prepared transactions that hold a lock of the nodes although their role may not run a node.
--
-- PostgreSQL lets every role take any advisory lock. It also lets a role wait for, and so make others wait behind, a strong
-- lock on a table that it may not even read: CREATE RULE and CREATE TRIGGER lock before they look at rights.
-- Sessions that wait for such a lock are listed too, because they would hold it next.
-- gives    pid, or gid of a prepared transaction; role, application, what is locked, and for how many seconds
-- touches  pg_locks, pg_stat_activity, pg_prepared_xacts (reads); no table of ours, which may be locked
-- never    names a session for a lock that nodes do not use: an application's own two-key locks may collide with the oid of a table
-- never    names a role that may become a node's by SET ROLE, or the owner of the database, who may reindex all of it
-- never    names a role that may maintain tables (PostgreSQL 17): VACUUM FULL and REINDEX lock as strongly
create or replace function postrider.intruders(
  out pid int, out gid text, out role text, out application text, out locked text, out seconds bigint)
returns setof record
language sql stable
set search_path = pg_catalog, pg_temp
set jit = off
as $$
  select k.pid, p.gid, coalesce(r.rolname::text, a.usesysid::text, p.owner::text, '?'), coalesce(a.application_name, ''),
    min(k.locked),
    coalesce(extract(epoch from clock_timestamp() - coalesce(a.xact_start, a.state_change, p.prepared)), 0)::bigint
  from (
    select k.pid, k.virtualtransaction, 'advisory lock of ' || c.relname as locked
    from pg_locks k
    join pg_class c on c.oid = k.classid and c.relnamespace = 'postrider'::regnamespace
    where k.locktype = 'advisory'
    and k.database = (select d.oid from pg_database d where d.datname = current_database())
    and k.objsubid = 2
    and (c.relname in ('claim', 'delayed', 'delivery', 'event_log', 'finish', 'listener', 'queue', 'segment', 'settlement', 'tenure',
        'worker')
      or c.relname = 'event' and (k.objid = 3 or k.objid = 1 and k.mode = 'ExclusiveLock'))
    union all
    select k.pid, k.virtualtransaction, 'lock of the first migration'
    from pg_locks k
    where k.locktype = 'advisory'
    and k.database = (select d.oid from pg_database d where d.datname = current_database())
    and k.classid = hashtext('postrider migrate')::oid
    and k.objid = hashtext('postrider')::oid
    and k.objsubid = 2
    union all
    select k.pid, k.virtualtransaction, 'table ' || c.relname
    from pg_locks k
    join pg_class c on c.oid = k.relation and c.relnamespace = 'postrider'::regnamespace
    where k.locktype = 'relation'
    and k.database = (select d.oid from pg_database d where d.datname = current_database())
    and (k.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
      or k.mode = 'ShareUpdateExclusiveLock' and c.relname = 'sequencing')
  ) k
  left join pg_stat_activity a on a.pid = k.pid
  left join pg_locks x on k.pid is null and x.pid is null and x.locktype = 'transactionid'
    and x.virtualtransaction = k.virtualtransaction
  left join pg_prepared_xacts p on p.transaction = x.transactionid
  join pg_roles r on r.oid = a.usesysid or r.rolname = p.owner
  where k.pid is distinct from pg_backend_pid()
  and not exists (
    select from pg_roles o
    where (has_table_privilege(o.oid, 'postrider.pass', 'insert')
      or o.oid = (select d.datdba from pg_database d where d.datname = current_database()))
    and pg_has_role(r.oid, o.oid, 'member'))
  and case when current_setting('server_version_num')::int >= 170000
    then not has_table_privilege(r.oid, 'postrider.pass', 'maintain') else true end
  group by k.pid, p.gid, r.rolname, a.usesysid, p.owner, a.application_name, a.xact_start, a.state_change, p.prepared
$$;
