-- enter_shadow(listener, cursor): the node that runs a relay has recorded everything that it sent, and follows a request for shadow.
--
-- gives    false if the cursor is elsewhere or the request was withdrawn
-- touches  listener, shadow (writes), delivery (reads), notifies the nodes
-- locks    the listener's place in the ledger, to the end of the transaction
create or replace function postrider.enter_shadow(of_listener text, at_position bigint)
returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
as $$
#variable_conflict use_variable
declare
  number  int;
begin
  select l.id into number from postrider.listener l where l.name = of_listener;
  if number is null then
    return false;
  end if;
  perform pg_advisory_xact_lock('postrider.delivery'::regclass::oid::int4, number);
  if not exists (select from postrider.listener l where l.name = of_listener and l.shadow_asked_at is not null)
     or at_position is distinct from (
       select d.to_position from postrider.delivery d where d.listener = of_listener order by d.n desc limit 1) then
    return false;
  end if;
  perform postrider.set_shadow(of_listener, at_position + 1);
  return true;
end
$$;
