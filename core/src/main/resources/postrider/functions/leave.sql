-- leave(worker): a worker shuts down cleanly. Jobs that it still holds, because the answer to a claim was lost or late, are put
-- aside without counting an attempt.
--
-- gives    how many jobs were put aside
-- touches  worker, settlement, delayed (writes), claim, log, event (reads)
-- locks    the worker: waits for a claim that is being made, and prevents later ones
-- never    while a job of the worker runs: it could no longer be settled
create or replace function postrider.leave(of_worker bigint)
returns bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  left_over  bigint := 0;
begin
  perform pg_advisory_xact_lock('postrider.settlement'::regclass::oid::int4, (of_worker % 2147483647::bigint)::int4);
  if not exists (select from postrider.worker w where w.id = of_worker and w.ended_at is null) then
    return 0;  -- it has been taken over
  end if;
  left_over := postrider.give_back(null, of_worker, '{}', '{}', '{}');
  update postrider.worker w set ended_at = clock_timestamp(), handed_over_at = clock_timestamp() where w.id = of_worker;
  delete from postrider.presence p where p.worker = of_worker;
  return left_over;
end
$$;
