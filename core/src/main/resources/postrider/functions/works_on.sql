-- works_on(queue, type): whether a live worker works on a queue and, if a type is given, handles that type there. A worker
-- without an announcement counts for every queue and type.
--
-- touches  worker, worker_queue (reads)
create or replace function postrider.works_on(of_queue text, of_type text default null)
returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
set jit = off
as $$
  select exists (
    select from postrider.live_workers() w
    where not w.announced or exists (
      select from postrider.worker_queue q
      where q.worker = w.id and q.queue = of_queue and (of_type is null or of_type = any (q.types))))
$$;
