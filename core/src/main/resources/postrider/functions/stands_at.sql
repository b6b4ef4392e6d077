-- stands_at(listener, position, upto, era): whether a listener's cursor is where the caller expects, and stays there to the end of
-- the caller's transaction. A worker records an attempt or a setback of an undelivered event only under this check: a worker that
-- has lost the listener meanwhile would leave a setback behind the cursor of its successor, which would handle the event again.
--
-- takes    upto, in_era: the event that the record is about, and the era in which it was read (deliver.sql)
-- gives    false if another worker has moved it, or it is detached, or the event is not of this log
-- touches  delivery, listener, era, head (reads)
-- locks    the listener's place in the ledger, to the end of the transaction. The lock is one statement and the read of the
--          cursor the next, so the read sees what the previous holder committed
create or replace function postrider.stands_at(of_listener text, at_position bigint, upto bigint, in_era int)
returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_variable
declare
  number  int;
  topic   text;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'stands_at needs isolation read committed, was %', current_setting('transaction_isolation')
      using errcode = 'PR001';
  end if;
  select l.id, l.topic into number, topic from postrider.listener l where l.name = of_listener and l.detached_at is null;
  if number is null then
    return false;
  end if;
  perform pg_advisory_xact_lock('postrider.delivery'::regclass::oid::int4, number);
  return postrider.is_of_log(topic, upto, in_era) and at_position = (
    select d.to_position from postrider.delivery d where d.listener = of_listener order by d.n desc limit 1);
end
$$;
