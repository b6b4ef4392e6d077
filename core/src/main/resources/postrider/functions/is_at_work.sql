-- is_at_work(worker): whether a worker has not been taken over, and will not be before the caller's transaction ends.
--
-- gives    false if it has: then whatever it did must be rolled back (G11)
-- locks    the worker, shared, to the end of the transaction: hand_over_next() waits for it. The lock is one statement and the
--          look the next, so the look sees what a takeover has committed
create or replace function postrider.is_at_work(of_worker bigint)
returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set plan_cache_mode = force_generic_plan
as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'is_at_work needs isolation read committed, was %', current_setting('transaction_isolation')
      using errcode = 'PR001';
  end if;
  perform pg_advisory_xact_lock_shared('postrider.settlement'::regclass::oid::int4, (of_worker % 2147483647::bigint)::int4);
  return exists (select from postrider.worker w where w.id = of_worker and w.ended_at is null);
end
$$;
