-- ask_for_shadow(listener): puts a listener into shadow. A relay that a node may be running is only asked: that node may have sent
-- events that it has not recorded yet. It records them, and then enters shadow itself (enter_shadow.sql).
--
-- gives    the first position in shadow, or null if the node was asked; no row if there is no such listener
-- touches  listener, shadow (writes), delivery, tenure (reads), notifies the nodes
-- locks    the listener's place in the ledger, then its mode (lock_tenure.sql), to the end of the transaction
create or replace function postrider.ask_for_shadow(of_listener text)
returns table (from_position bigint)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
as $$
#variable_conflict use_variable
declare
  found_listener  postrider.listener;
  cursor_at       bigint;
  is_open         boolean;
begin
  select l.* into found_listener from postrider.listener l where l.name = of_listener;
  if found_listener.id is null then
    return;
  end if;
  perform pg_advisory_xact_lock('postrider.delivery'::regclass::oid::int4, found_listener.id);
  perform pg_advisory_xact_lock('postrider.shadow'::regclass::oid::int4, found_listener.id);
  select l.* into found_listener from postrider.listener l where l.name = of_listener;
  select d.to_position into cursor_at from postrider.delivery d where d.listener = of_listener order by d.n desc limit 1;
  if found_listener.shadow_from is not null
     and (found_listener.live_from is null or cursor_at + 1 < found_listener.live_from) then
    -- It is in shadow: this only takes back a go-live at a later position.
    update postrider.listener l
    set live_from = null, course = greatest(l.course + 1, (extract(epoch from clock_timestamp()) * 1000)::int8)
    where l.name = of_listener and l.live_from is not null;
    perform pg_notify('postrider', 'steer');
    return query select found_listener.shadow_from;
    return;
  end if;
  is_open := coalesce((
    select t.ended_at is null from postrider.tenure t where t.listener = of_listener order by t.n desc limit 1), false);
  if found_listener.kind = 'transactional' or not is_open then
    perform postrider.set_shadow(of_listener, cursor_at + 1);
    return query select cursor_at + 1;
    return;
  end if;
  update postrider.listener l set shadow_asked_at = clock_timestamp() where l.name = of_listener;
  perform pg_notify('postrider', 'steer');
  return query select null::int8;
end
$$;
