-- live_workers(): the workers that are alive, which means that the session of their wire holds the lock of their number. Behind a
-- pooler there is no such session, and an idle worker writes nothing: it counts as alive for a day after its last sign of life.
--
-- gives    announced: whether its node has announced its queues (worker_queue); older versions do not
-- touches  worker, worker_queue, pg_locks (reads)
create or replace function postrider.live_workers()
returns table (id bigint, node text, announced boolean)
language sql stable
rows 10
set search_path = pg_catalog, pg_temp
set jit = off
as $$
  select w.id, w.node, exists (select from postrider.worker_queue q where q.worker = w.id)
  from postrider.worker w
  where w.ended_at is null
  and case when w.pooled then w.seen_at > clock_timestamp() - interval '1 day'
    else exists (
      select from pg_locks k
      where k.locktype = 'advisory'
      and k.database = (select d.oid from pg_database d where d.datname = current_database())
      and k.classid = 'postrider.worker'::regclass::oid
      and k.objid = (w.id % 2147483647::bigint)::oid
      and k.objsubid = 2
      and k.granted)
    end
$$;
