-- lease_of(worker): how long a worker keeps its jobs while it is silent: the shortest of the leases that are set for the queues of
-- its node, or ten seconds if none is set. Behind a pooler at least twelve seconds, because its signs of life are three seconds
-- apart.
--
-- touches  worker, worker_queue, queue (reads)
create or replace function postrider.lease_of(of_worker bigint)
returns interval
language sql stable
set search_path = pg_catalog, pg_temp
set jit = off
as $$
  select case when w.pooled then greatest(l.lease, interval '12 seconds') else coalesce(l.lease, interval '10 seconds') end
  from postrider.worker w
  cross join lateral (
    select min(q.lease) as lease
    from postrider.worker_queue o
    join postrider.queue q on q.name = o.queue
    where o.worker = w.id) l
  where w.id = of_worker
$$;
