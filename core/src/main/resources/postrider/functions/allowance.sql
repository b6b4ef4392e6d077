-- allowance(queue): how many more jobs of a queue may start now, on all nodes together; null: no limit.
--
-- Computed from the unsettled claims and from the claims of the last period. There is no counter to acquire and release, so a
-- crash cannot leave one acquired.
--
-- touches  queue, claim, settlement, delayed, worker (reads)
-- never    without the queue's lock, which claim() takes: two callers could use the same allowance
create or replace function postrider.allowance(of_queue text)
returns int
language plpgsql stable
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
as $$
declare
  queue    postrider.queue;
  running  bigint;
  begun    bigint;
begin
  select q.* into queue from postrider.queue q where q.name = of_queue;
  if queue.running_limit is not null then
    select coalesce(sum(upper(r) - lower(r)), 0) into running
    from postrider.open_claims() o, unnest(o.positions) r where o.topic = any (postrider.lanes(of_queue));
    -- "offset 0": finds the running jobs by the index delayed_worker. By lane, it would read all waiting jobs.
    select running + count(*) into running
    from (select d.topic from postrider.delayed d where d.worker is not null offset 0) d
    where d.topic = any (postrider.lanes(of_queue));
  end if;
  if queue.rate is not null then
    begun := postrider.begun(of_queue, queue.rate_period);
  end if;
  return least(
    case when queue.running_limit is not null then greatest(0, queue.running_limit - running) end,
    case when queue.rate is not null then greatest(0, queue.rate - begun) end);
end
$$;
