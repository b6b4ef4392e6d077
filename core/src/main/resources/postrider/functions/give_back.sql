-- give_back(queue, worker, ns, topics, positions): puts aside the jobs of a queue that the worker has claimed without knowing
-- it, because the answer to its claim was lost. No attempt is counted.
--
-- takes    queue: null: all queues. ns: the open claims that the worker knows; topics, positions: the delayed jobs that it knows
-- gives    the number of jobs that the worker did not know
-- touches  settlement, delayed (writes), claim, worker, log, event (reads)
-- locks    the worker, shared
-- never    finds a claim that has not committed yet: the caller must call it again
create or replace function postrider.give_back(
  of_queue   text,
  of_worker  bigint,
  ns         bigint[],
  topics     text[],
  positions  bigint[])
returns bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  lanes  text[] := postrider.lanes(of_queue);
  given  bigint;
  alone  bigint;
begin
  if not postrider.is_at_work(of_worker) then
    return 0;  -- the takeover finds them
  end if;
  select coalesce(sum(postrider.hand_over(o.n, o.topic, o.positions, 'returned', 0, 0, null)), 0) into given
  from postrider.open_claims() o
  where o.worker = of_worker and (of_queue is null or o.topic = any (lanes)) and o.n <> all (ns);
  update postrider.delayed d
  set worker = null, claimed_at = null, attempt = d.attempt - 1
  where d.worker = of_worker and (of_queue is null or d.topic = any (lanes))
  and not exists (select from unnest(topics, positions) k (topic, position) where k.topic = d.topic and k.position = d.position);
  get diagnostics alone = row_count;
  return given + alone;
end
$$;
