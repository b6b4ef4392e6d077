-- leave(worker): a worker ends in order. What it still holds, because the answer to a claim was lost or came too late, is put
-- aside without counting an attempt.
--
-- gives    how many jobs that were
-- touches  worker, settlement, delayed (writes), claim, log, event (reads)
-- locks    the worker: a claim that is being made is waited for, and none is made afterwards
-- never    while a job of the worker runs: it could not be settled any more
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
  perform pg_advisory_xact_lock('postrider.settlement'::regclass::oid::int4, (of_worker % 2147483647)::int4);
  if not exists (select from postrider.worker w where w.id = of_worker and w.ended_at is null) then
    return 0;  -- somebody has taken it over
  end if;
  left_over := postrider.give_back(null, of_worker, '{}', '{}', '{}');
  update postrider.worker w set ended_at = clock_timestamp(), handed_over_at = clock_timestamp() where w.id = of_worker;
  delete from postrider.presence p where p.worker = of_worker;
  return left_over;
end
$$;
