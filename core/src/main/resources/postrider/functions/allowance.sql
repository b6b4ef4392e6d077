-- allowance(queue): how many more jobs of a queue may be begun now, on all nodes together; null: as many as you like.
--
-- Counted from what is claimed and not settled, and from what was claimed in the last period: there is nothing to be held and
-- given back, so nothing that a crash could leave held.
--
-- touches  queue, claim, settlement, delayed, worker (reads)
-- never    without the queue's lock, which claim() takes: two could take the same allowance
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
    -- "offset 0": those that run, by delayed_worker. By their lane, all that wait would be read.
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
