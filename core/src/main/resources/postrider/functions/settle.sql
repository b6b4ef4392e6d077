-- settle(worker, ns, positions, fates, results, of_job, topics): records the fates of claimed positions.
--
-- takes    arrays of equal length: the number of a claim, positions of it, their common fate, results by position or null.
--          of_job: set if this is the transaction of this job's handler, which mark_job() has marked. topics: the lane of each
--          claim, in case a crash lost the number and it was given to another queue of the worker
-- gives    written; there, if exactly this was written before: the answer to that commit was lost. lost, if the worker has been
--          taken over or does not hold these claims (a crash of the server lost them): then the caller must roll back everything
--          it did in this transaction (G11). In a handler's transaction also: cancelled, if the job was cancelled; elsewhere, if
--          this is not the marked transaction: the handler has ended that one
-- touches  settlement (writes), claim, worker, cancellation (reads)
-- locks    the worker, shared, to the end of the transaction
create or replace function postrider.settle(
  of_worker  bigint,
  ns         bigint[],
  positions  int8multirange[],
  fates      text[],
  results    jsonb[],
  of_job     uuid default null,
  topics     text[] default null)
returns text
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
  if of_job is not null and current_setting('postrider.job', true) is distinct from of_job::text then
    return 'elsewhere';
  end if;
  if not postrider.is_at_work(of_worker) then
    return 'lost';
  end if;
  if exists (
    select from unnest(ns, topics) u (n, topic)
    where not exists (
      select from postrider.claim c where c.worker = of_worker and c.n = u.n and c.topic = coalesce(u.topic, c.topic))) then
    return 'lost';
  end if;
  if of_job is not null and exists (
    select from unnest(ns, positions) u (n, positions)
    join postrider.claim c on c.worker = of_worker and c.n = u.n
    join postrider.cancellation x on x.topic = c.topic and u.positions @> x.position) then
    return 'cancelled';
  end if;
  insert into postrider.settlement (n, positions, topic, fate, results)
  select u.n, u.positions, c.topic, u.fate, u.results
  from unnest(ns, positions, fates, results) u (n, positions, fate, results)
  join postrider.claim c on c.worker = of_worker and c.n = u.n
  on conflict do nothing;
  if found then
    return 'written';
  end if;
  return case when exists (
    select from unnest(ns, positions, fates) u (n, positions, fate)
    join postrider.settlement s on s.n = u.n and s.positions = u.positions and s.fate <> u.fate) then 'lost' else 'there' end;
end
$$;
