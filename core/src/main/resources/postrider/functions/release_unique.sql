-- release_unique(ids): finished jobs release their unique keys. A key that is held for a period stays.
--
-- touches  unique_job (writes)
create or replace function postrider.release_unique(ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
  delete from postrider.unique_job u where u.event_id = any (ids) and u.until = 'infinity';
end
$$;
