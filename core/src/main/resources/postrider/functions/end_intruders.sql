-- end_intruders(): sessions that hold a lock of the nodes and whose role may not be a node.
--
-- PostgreSQL lets every role take any advisory lock: held by a stranger, it would keep a listener or a queue from going on.
-- gives    each such session; ended: whether it could be ended. That takes membership in its role or in pg_signal_backend
-- touches  the server's list of locks and sessions (reads)
create or replace function postrider.end_intruders(out pid int, out role text, out ended boolean)
returns setof record
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  intruder record;
begin
  for intruder in
    select distinct k.pid, coalesce(a.usename::text, a.usesysid::text) as role
    from pg_locks k
    join pg_class c on c.oid = k.classid and c.relnamespace = 'postrider'::regnamespace
    join pg_stat_activity a on a.pid = k.pid
    where k.locktype = 'advisory'
    and k.database = (select d.oid from pg_database d where d.datname = current_database())
    and k.objsubid = 2
    and k.granted
    and c.relname <> 'unique_job'
    and (c.relname <> 'event' or k.objid <> 1 or k.mode = 'ExclusiveLock')
    and not has_table_privilege(a.usesysid, 'postrider.pass', 'insert')
  loop
    pid := intruder.pid;
    role := intruder.role;
    begin
      ended := pg_terminate_backend(intruder.pid);
    exception when insufficient_privilege then
      ended := false;
    end;
    return next;
  end loop;
end
$$;
