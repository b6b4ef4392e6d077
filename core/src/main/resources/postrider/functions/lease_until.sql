-- lease_until(worker): when the lease of a worker expires if it stays silent: as long after the last message of its wire as
-- lease_of() says; behind a pooler, after its last sign of life. Null: the worker is already gone.
--
-- touches  worker, worker_queue, queue (reads), the server's list of locks and sessions. Runs as its owner: the reader's role, for
--          which jobs_in_reach calls it, may read none of them
create or replace function postrider.lease_until(of_worker bigint)
returns timestamptz
language sql stable security definer
set search_path = pg_catalog, pg_temp
set jit = off
begin atomic
  select case
    when w.pooled then w.seen_at + postrider.lease_of(w.id)
    else coalesce((
      select greatest(a.state_change, a.query_start) + postrider.lease_of(w.id)
      from pg_locks k
      join pg_stat_activity a on a.pid = k.pid
      where k.locktype = 'advisory'
      and k.database = (select d.oid from pg_database d where d.datname = current_database())
      and k.classid = 'postrider.worker'::regclass::oid
      and k.objid = (w.id % 2147483647::bigint)::oid
      and k.objsubid = 2
      and k.granted
      limit 1), w.kept_until)
  end
  from postrider.worker w
  where w.id = of_worker and w.ended_at is null;
end;
