-- is_of_log(topic, position, era): whether a position that was read in an era still means the same event. See deliver.sql.
--
-- touches  era, head (reads)
create or replace function postrider.is_of_log(of_topic text, at_position bigint, in_era int)
returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
set jit = off
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
  if in_era is null then
    return true;
  end if;
  return in_era = (select max(e.era) from postrider.era e)
    and at_position <= coalesce((
      select h.position from postrider.head h where h.topic = of_topic order by h.position desc limit 1), 0);
end
$$;
