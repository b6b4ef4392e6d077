-- go_live(listener, position, worker): a listener in shadow sends from this position on.
--
-- takes    at_position: the first position that it sends; null: the one after its cursor. One at or before the cursor moves the
--          cursor back, and deletes what was recorded from there on; it must be in the shadow phase, since positions before
--          it were sent
-- gives    outcome 'live' and the first live position; or 'not_in_shadow', or 'before_shadow' and the first position of the phase,
--          or 'not_kept' and the first position that is kept, and then nothing has changed; no row if there is no such listener
-- touches  listener, shadow, delivery (writes), notifies the nodes
-- locks    the listener's place in the ledger, to the end of the transaction. The lock is one statement and the read of the
--          cursor the next, so a range that a node records at the same time is before the switch or is refused
create or replace function postrider.go_live(of_listener text, at_position bigint, worker text)
returns table (outcome text, live_position bigint)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
as $$
#variable_conflict use_variable
declare
  found_listener  postrider.listener;
  last            postrider.delivery;
  first_live      bigint;
  oldest          bigint;
begin
  select l.* into found_listener from postrider.listener l where l.name = of_listener;
  if found_listener.id is null then
    return;
  end if;
  perform pg_advisory_xact_lock('postrider.delivery'::regclass::oid::int4, found_listener.id);
  select l.* into found_listener from postrider.listener l where l.name = of_listener;
  select d.* into last from postrider.delivery d where d.listener = of_listener order by d.n desc limit 1;
  if found_listener.shadow_from is null
     or (found_listener.live_from is not null and last.to_position + 1 >= found_listener.live_from) then
    return query select 'not_in_shadow'::text, null::int8;
    return;
  end if;
  first_live := coalesce(at_position, last.to_position + 1);
  if first_live < found_listener.shadow_from then
    return query select 'before_shadow'::text, found_listener.shadow_from;
    return;
  end if;
  if first_live <= last.to_position then
    oldest := coalesce(
      (select f.position + 1 from postrider.forgotten f where f.topic = found_listener.topic),
      (select l.position from postrider.log l where l.topic = found_listener.topic order by l.position limit 1),
      last.to_position + 1);
    if first_live < oldest then
      return query select 'not_kept'::text, oldest;
      return;
    end if;
    perform postrider.forget_shadow(of_listener, first_live - 1);
    insert into postrider.delivery (n, listener, from_position, to_position, events, worker)
    values (postrider.next_number('delivery_numbers', last.n), of_listener, 0, first_live - 1, 0, worker);
  end if;
  update postrider.listener l
  set live_from = first_live,
    course = greatest(l.course + 1, (extract(epoch from clock_timestamp()) * 1000)::int8)
  where l.name = of_listener;
  perform pg_notify('postrider', 'steer');
  return query select 'live'::text, first_live;
end
$$;
