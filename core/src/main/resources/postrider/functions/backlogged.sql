-- backlogged(after, most): the next topics that still have events in the backlog, ordered by name.
--
-- touches  backlog, head (reads): one index lookup in each for every topic that it passes
create or replace function postrider.backlogged(after text, most int)
returns text[]
language plpgsql stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set jit = off
as $$
begin
  return array(
    with recursive t as (
      (select b.topic from postrider.backlog b where b.topic > after order by b.topic limit 1)
      union all
      select (select b.topic from postrider.backlog b where b.topic > t.topic order by b.topic limit 1)
      from t where t.topic is not null
    )
    select t.topic
    from t
    where t.topic is not null
    and (select b.to_position from postrider.backlog b where b.topic = t.topic order by b.from_position desc limit 1)
      > coalesce((select h.position from postrider.head h where h.topic = t.topic order by h.position desc limit 1), 0)
    limit most);
end
$$;
