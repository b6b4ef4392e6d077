-- forget_shadow(listener, after): deletes what a listener has recorded in shadow after a position. Its cursor moves back there.
--
-- touches  shadow (writes)
create or replace function postrider.forget_shadow(of_listener text, after_position bigint)
returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
as $$
#variable_conflict use_variable
begin
  delete from postrider.shadow s where s.listener = of_listener and s.from_position > after_position;
  update postrider.shadow s
  set to_position = after_position, positions = s.positions[:k.most], events = s.events[:k.most],
    messages = s.messages[:k.most], payloads = s.payloads[:k.most]
  from (
    select w.from_position, (select count(*) from unnest(w.positions) p (at) where p.at <= after_position)::int4 as most
    from postrider.shadow w
    where w.listener = of_listener and w.from_position <= after_position and w.to_position > after_position) k
  where s.listener = of_listener and s.from_position = k.from_position;
end
$$;
