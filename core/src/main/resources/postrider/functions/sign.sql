-- sign(worker): a sign of life of a worker behind a pooler, whose sessions are nobody's: every three seconds at most, while it
-- has claims, and whenever it makes one.
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
