-- end_intruders(): terminates sessions that hold a lock of the nodes although their role may not run a node.
--
-- PostgreSQL lets every role take any advisory lock. In the hands of another role it would block a listener or a queue.
-- gives    each such session; ended: whether it was terminated, which takes membership in its role or in pg_signal_backend
-- touches  pg_locks, pg_stat_activity (reads)
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
    left join pg_class c on c.oid = k.classid and c.relnamespace = 'postrider'::regnamespace
    join pg_stat_activity a on a.pid = k.pid
    where k.locktype = 'advisory'
    and k.database = (select d.oid from pg_database d where d.datname = current_database())
    and k.objsubid = 2
    and k.granted
    and (c.relname <> 'unique_job' and (c.relname <> 'event' or k.objid <> 1 or k.mode = 'ExclusiveLock')
      or k.classid = hashtext('postrider migrate')::oid and k.objid = hashtext('postrider')::oid)
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
