-- clear_setback(listener, position, attempt): removes the setback of an event that has been handled.
--
-- gives    whether the setback still belonged to this attempt
-- touches  setback (writes)
create or replace function postrider.clear_setback(of_listener text, of_position bigint, of_attempt int)
returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
  delete from postrider.setback s
  where s.listener = of_listener and s.position = of_position and s.attempt = of_attempt;
  return found;
end
$$;
