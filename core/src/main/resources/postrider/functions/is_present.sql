-- is_present(worker): whether a worker has registered since this server started. Only then does the server have every commit that
-- was confirmed to the worker: see the table presence.
--
-- touches  presence (reads)
create or replace function postrider.is_present(of_worker bigint)
returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
set jit = off
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
  return exists (
    select from postrider.presence p
    where p.worker = of_worker and p.server_start = pg_catalog.pg_postmaster_start_time());
end
$$;
