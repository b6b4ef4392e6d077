-- is_in_mode(listener, from, to, shadow): whether a listener is in shadow for all positions of a range, or live for all of them.
--
-- touches  listener (reads)
create or replace function postrider.is_in_mode(of_listener text, from_position bigint, to_position bigint, as_shadow boolean)
returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
set jit = off
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_variable
begin
  return (
    select case when as_shadow
        then l.shadow_from is not null and (l.live_from is null or to_position < l.live_from)
        else l.shadow_from is null or (l.live_from is not null and from_position >= l.live_from) end
    from postrider.listener l where l.name = of_listener);
end
$$;
