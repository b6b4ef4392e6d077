-- release_unique(topics, projects, keys, ids): releases the unique keys of jobs that have ended, except keys that are held for a
-- period.
--
-- takes    arrays of equal length: the job's lane, project, unique key (null: it has none) and id. All four must match: a
--          producer chooses job ids, so a job of another project may have the same id
-- touches  unique_job (writes)
create or replace function postrider.release_unique(topics text[], projects text[], keys text[], ids uuid[])
returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_nestloop = off
set enable_mergejoin = off
as $$
begin
  -- Found by id and compared in a hash join: 100 keys of 100,000 are 163 buffers, as many as by id alone; by the primary key, 500.
  delete from postrider.unique_job u
  using unnest(topics, projects, keys, ids) j (topic, project_id, unique_key, event_id)
  where u.event_id = any (ids) and u.until = 'infinity'
  and u.event_id = j.event_id and u.unique_key = j.unique_key and u.project_id = coalesce(j.project_id, '')
  and u.queue = split_part(j.topic, ':', 2);
end
$$;
