-- tail_position(topic): the last position assigned or promised in a topic; 0 for a new one. The head may be behind the backlog, or
-- beyond what is left of it.
create or replace function postrider.tail_position(of_topic text)
returns bigint
language plpgsql stable
set search_path = pg_catalog, pg_temp
set jit = off
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
  return greatest(
    (select b.to_position from postrider.backlog b where b.topic = of_topic order by b.from_position desc limit 1),
    (select h.position from postrider.head h where h.topic = of_topic order by h.position desc limit 1),
    0);
end
$$;
