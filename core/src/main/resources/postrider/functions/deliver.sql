-- deliver(listener, from, to, events, worker, era, tenure, shadow): records that a range of positions is finished.
--
-- takes    in_era: the era in which the caller read these events. After a failover that lost commits, the new server assigns
--          their positions to other events; before its first pass the era is still the old one, and the positions are beyond
--          its head. Null: not checked.
--          in_tenure: the mark that was set when the handler's transaction began (mark_listener.sql). If it is gone, the handler
--          ended that transaction and began another, and its effects are not tied to the cursor: error PR005. Null: a relay
--          as_shadow: whether the range was only recorded and not sent (record_shadow.sql). The mode of the listener must be the
--          same for the whole range, now, under the lock: a range that was recorded is never also sent, nor the reverse
-- gives    true; or false if the listener is not where the caller expects: another worker has moved it or has begun an attempt
--          at an event in the range, or it is detached, or the events are not of this log, or it is in the other mode. Then
--          the caller must roll back everything it did in this transaction (G11)
-- touches  delivery (reads, writes), listener, setback, era, head (reads)
-- locks    the listener's place in the ledger, to the end of the transaction. The lock is one statement and the read of the
--          cursor the next, so the read sees what the previous holder committed
create or replace function postrider.deliver(
  of_listener    text,
  from_position  bigint,
  to_position    bigint,
  events         int,
  worker         text,
  in_era         int default null,
  in_tenure      bigint default null,
  as_shadow      boolean default false)
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
  last    postrider.delivery;
  next    bigint;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'deliver needs isolation read committed, was %', current_setting('transaction_isolation')
      using errcode = 'PR001';
  end if;
  if in_tenure is not null and current_setting('postrider.tenure', true) is distinct from in_tenure::text then
    raise exception 'the handler ended the transaction in which it was called' using errcode = 'PR005';
  end if;
  select l.id, l.topic into number, topic from postrider.listener l where l.name = of_listener and l.detached_at is null;
  if number is null then
    return false;
  end if;
  perform pg_advisory_xact_lock('postrider.delivery'::regclass::oid::int4, number);
  select d.* into last from postrider.delivery d where d.listener = of_listener
  order by d.n desc limit 1;
  if last.to_position is distinct from from_position - 1
     or postrider.is_of_log(topic, to_position, in_era) is not true
     or postrider.is_in_mode(of_listener, from_position, to_position, as_shadow) is not true then
    return false;
  end if;
  -- A worker that handled events (and did not just pass a setback) has cleared its own setback: any other belongs to an
  -- attempt of another worker that it does not know of, and would be repeated behind the cursor.
  if events > 0 and not as_shadow and exists (
    select from postrider.setback s
    where s.listener = of_listener and s.position >= from_position and s.position <= to_position and s.attempt > 0) then
    return false;
  end if;
  next := nextval('postrider.delivery_numbers');
  if next <= last.n then
    -- a logical copy does not carry sequences, and this one may have been set back: the new row would not be the last
    next := postrider.next_number('delivery_numbers', last.n);
  end if;
  insert into postrider.delivery (n, listener, from_position, to_position, events, worker)
  values (next, of_listener, from_position, to_position, events, worker);
  return true;
end
$$;
