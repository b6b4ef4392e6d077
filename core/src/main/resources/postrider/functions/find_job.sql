-- find_job(id): where a job is: its lane and position. No row if there is none, or retention has taken it.
--
-- touches  delayed, event, log (reads)
create or replace function postrider.find_job(of_id uuid)
returns table (topic text, "position" bigint)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set jit = off
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
#variable_conflict use_column
begin
  return query select d.topic, d.position from postrider.delayed d where d.event_id = of_id;
  if not found then
    return query
    select l.topic, l.position
    from postrider.event e
    join postrider.log l on l.id = e.id and l.tx = e.tx and l.topic >= 'queue:' and l.topic < 'queue;'
    where e.event_id = of_id and e.topic >= 'queue:' and e.topic < 'queue;';
  end if;
end
$$;
