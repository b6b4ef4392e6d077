-- forget_progress(topics, positions): deletes the progress reports of jobs that have ended.
--
-- takes    arrays of equal length
-- touches  progress (writes)
create or replace function postrider.forget_progress(topics text[], positions bigint[])
returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
  delete from postrider.progress o
  using unnest(topics, positions) j (topic, position)
  where j.topic = o.topic and j.position = o.position;
end
$$;
