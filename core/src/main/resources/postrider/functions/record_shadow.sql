-- record_shadow(listener, from, to, events …): records what a listener in shadow would have sent for a range of positions, and moves
-- its cursor past the range in the same transaction.
--
-- takes    positions, events, messages, payloads, failed, errors: as in the table shadow
-- gives    as deliver(). Setbacks in the range are deleted: their events were recorded and are not sent
-- touches  delivery, shadow, setback (writes), listener, era, head (reads). Keeps the records of the last million positions
-- locks    the listener's place in the ledger, to the end of the transaction
create or replace function postrider.record_shadow(
  of_listener    text,
  from_position  bigint,
  to_position    bigint,
  of_positions   bigint[],
  of_events      uuid[],
  of_messages    bigint[],
  of_payloads    bigint[],
  of_failed      bigint[],
  of_errors      text[],
  worker         text,
  in_era         int)
returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_variable
begin
  if not postrider.deliver(of_listener, from_position, to_position, cardinality(of_positions), worker, in_era, null, true) then
    return false;
  end if;
  delete from postrider.setback s
  where s.listener = of_listener and s.position >= from_position and s.position <= to_position;
  delete from postrider.shadow s
  where s.listener = of_listener and s.from_position <= to_position - 1000000::int8 and s.to_position <= to_position - 1000000::int8;
  insert into postrider.shadow
    (listener, from_position, to_position, positions, events, messages, payloads, failed, errors)
  values
    (of_listener, from_position, to_position, of_positions, of_events, of_messages, of_payloads, of_failed, of_errors);
  return true;
end
$$;
