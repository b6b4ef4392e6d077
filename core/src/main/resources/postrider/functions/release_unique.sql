-- release_unique(ids): releases the unique keys of finished jobs, except keys that are held for a period.
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
