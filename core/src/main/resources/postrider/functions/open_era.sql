-- open_era(reason, high): begins a new era. The transaction numbers of the last pass have no meaning here, so new events are
-- found by their state: visible and without a position.
--
-- gives    how many events were put into the backlog, and the snapshot in which they were found: one statement finds the events
--          and takes the snapshot, because an event that commits between two statements would be found twice
-- touches  event, log (reads all of both, once), backlog, era, segment (writes); in another cluster the sequences, which a
--          logical copy does not carry: a new id that was already used would be below the range that passes read. The same
--          applies after event_ids was set back
-- never    advances the sequence after an id that no sequence drew: near the end of bigint, no event could be written any more
create or replace function postrider.open_era(
  reason        text,
  high          bigint,
  out promised  bigint,
  out now       pg_snapshot)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
as $$
#variable_conflict use_variable
declare
  -- 2^62: no sequence draws a greater id, which would take 29,000 years. After such an id, a sequence would come to its end
  most constant bigint := 4611686018427387904;
begin
  with missing as materialized (
    select e.topic, e.tx, e.id
    from postrider.event e
    where not exists (select from postrider.log l where l.tx = e.tx and l.id = e.id)
  ), ordered as (
    select g.topic, g.tx, g.events, g.first_id, g.last_id,
      sum(g.events) over (partition by g.topic order by g.tx_last_id, g.tx) as upto
    from (
      select g.*, max(g.last_id) over (partition by g.tx) as tx_last_id
      from (
        select m.topic, m.tx, count(*) as events, min(m.id) as first_id, max(m.id) as last_id
        from missing m
        group by m.topic, m.tx
      ) g
    ) g
  ), promises as (
    insert into postrider.backlog (topic, from_position, to_position, tx, first_id, last_id)
    select o.topic, t.position + o.upto - o.events + 1, t.position + o.upto, o.tx, o.first_id, o.last_id
    from ordered o
    join (select t.topic, postrider.tail_position(t.topic) as position from (select distinct m.topic from missing m) t) t
      on t.topic = o.topic
    returning to_position - from_position + 1 as events
  )
  select coalesce(sum(p.events), 0), pg_current_snapshot() into promised, now from promises p;

  if reason = 'ids went back' then
    -- in-flight transactions may have drawn ids above the visible ones, so the sequence is advanced by a wide margin
    perform postrider.next_number('event_ids',
      least(greatest(high, (select max(e.id) from postrider.event e where e.id < most)), most) + 1000000);
  end if;
  if reason = 'another cluster' then
    perform setval('postrider.event_ids', m.id + 1000000)
    from (select max(e.id) as id from postrider.event e where e.id < most) m, postrider.event_ids s where m.id >= s.last_value;
    perform setval('postrider.delivery_numbers', m.n + 1000)
    from (select max(d.n) as n from postrider.delivery d) m, postrider.delivery_numbers s where m.n >= s.last_value;
    perform setval(pg_get_serial_sequence('postrider.tenure', 'n'), m.n)
    from (select max(t.n) as n from postrider.tenure t) m
    where m.n >= coalesce(pg_sequence_last_value(pg_get_serial_sequence('postrider.tenure', 'n')), 0);
    perform setval(pg_get_serial_sequence('postrider.listener', 'id'), m.id)
    from (select max(l.id) as id from postrider.listener l) m
    where m.id >= coalesce(pg_sequence_last_value(pg_get_serial_sequence('postrider.listener', 'id')), 0);
    perform setval('postrider.claim_numbers', m.n + 1000)
    from (select max(c.n) as n from postrider.claim c) m, postrider.claim_numbers s where m.n >= s.last_value;
    perform setval(pg_get_serial_sequence('postrider.worker', 'id'), m.id)
    from (select max(w.id) as id from postrider.worker w) m
    where m.id >= coalesce(pg_sequence_last_value(pg_get_serial_sequence('postrider.worker', 'id')), 0);
    perform setval(pg_get_serial_sequence('postrider.queue', 'id'), m.id)
    from (select max(q.id) as id from postrider.queue q) m
    where m.id >= coalesce(pg_sequence_last_value(pg_get_serial_sequence('postrider.queue', 'id')), 0);
  end if;
  if reason in ('ids went back', 'another cluster') then
    -- An event with such an id may be in a closed segment, in an emptied one, or before one in the table beyond.
    update postrider.segment s set closed_at = null, emptied_at = null
    where s.family = 'log' and s.closed_at is not null
    and exists (
      select from postrider.backlog b
      where b.first_id < s.high and b.last_id >= coalesce((
        select max(p.high) from postrider.segment p where p.family = 'log' and p.low < s.low), 0));
    delete from postrider.segment_topic t using postrider.segment s
    where s.family = 'log' and s.low = t.low and s.closed_at is null;
  end if;

  insert into postrider.era (era, system_identifier, timeline, high, reason)
  select coalesce((select max(e.era) from postrider.era e), 0) + 1, c.system_identifier, c.timeline, high, reason
  from postrider.cluster_identity() c;
end
$$;
