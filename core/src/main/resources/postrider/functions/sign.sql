-- sign(worker): a sign of life of a worker behind a pooler, where no session belongs to it: at most every three seconds while it
-- has claims, and with each new claim.
--
-- touches  worker (writes, if its last sign is old)
create or replace function postrider.sign(of_worker bigint)
returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set plan_cache_mode = force_generic_plan
as $$
begin
  update postrider.worker w set seen_at = clock_timestamp()
  where w.id = of_worker and w.pooled and not (w.seen_at between clock_timestamp() - interval '3 seconds' and clock_timestamp());
end
$$;
