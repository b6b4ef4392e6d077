-- set_shadow(listener, from): a listener records from this position on instead of sending. What it recorded in an earlier phase
-- is deleted. The caller holds the lock on the listener's place in the ledger.
--
-- touches  listener, shadow (writes), notifies the nodes
create or replace function postrider.set_shadow(of_listener text, from_position bigint)
returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
as $$
#variable_conflict use_variable
begin
  delete from postrider.shadow s where s.listener = of_listener;
  update postrider.listener l
  set shadow_from = from_position, live_from = null, shadow_asked_at = null,
    course = greatest(l.course + 1, (extract(epoch from clock_timestamp()) * 1000)::int8),
    unavailable_since = null, unavailable_tries = 0, unavailable_error = null, unavailable_until = null
  where l.name = of_listener;
  perform pg_notify('postrider', 'steer');
end
$$;
