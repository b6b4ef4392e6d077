-- settle(worker, ns, positions, fates, results, unless_cancelled): writes what became of claimed positions.
--
-- takes    arrays of one length: the number of a claim, positions of it, their one fate, results by position or null
-- gives    written; there, if just this has been written before: the caller did not hear of its commit. lost, if the worker has
--          been taken over, or does not hold these claims (a crash of the server has forgotten them): then the caller must roll
--          back all it did in this transaction (G11). cancelled, if unless_cancelled is given and one of the jobs is
-- touches  settlement (writes), claim, worker, cancellation (reads)
-- locks    the worker, shared, to the end of the transaction
create or replace function postrider.settle(
  of_worker  bigint,
  ns         bigint[],
  positions  int8multirange[],
  fates      text[],
  results    jsonb[],
  unless_cancelled  boolean default false)
returns text
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
  if not postrider.is_at_work(of_worker) then
    return 'lost';
  end if;
  if (select count(distinct u) from unnest(ns) u)
     <> (select count(*) from postrider.claim c where c.worker = of_worker and c.n = any (ns)) then
    return 'lost';
  end if;
  if unless_cancelled and exists (
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
