-- close_segments(rotate): records which segments are in use and which can no longer grow, and starts the next segment of the log
-- when the current one is older than rotate, so that age-based retention also works on a quiet system. Rows in the table beyond
-- with ids before a segment belong to that segment. A segment without positions needs no retention: it is emptied at once.
--
-- gives    how many segments were closed
-- touches  segment, segment_topic (writes), event_ids (advanced to the first id of the next segment: ids may have gaps)
create or replace function postrider.close_segments(rotate interval)
returns int
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
as $$
declare
  closed   int := 0;
  last     postrider.pass;
  used     bigint;
  current  bigint;
  segment  postrider.segment;
begin
  if not pg_try_advisory_xact_lock('postrider.segment'::regclass::oid::int4, 1) then
    return 0;
  end if;
  select p.* into last from postrider.pass p order by p.n desc limit 1;
  select s.last_value into used from postrider.event_ids s where s.is_called;
  -- The segment in use is the lowest that has ids left, even while ids of a gap before it go to the table beyond.
  select min(s.low) into current from postrider.segment s where s.family = 'log' and s.high > used;
  update postrider.segment s set opened_at = clock_timestamp()
  where s.opened_at is null
  and s.low <= case s.family when 'log' then greatest(used, current) when 'pass' then last.n
    when 'delivery' then (select d.last_value from postrider.delivery_numbers d where d.is_called)
    else (select c.last_value from postrider.claim_numbers c where c.is_called) end;

  -- No running or later transaction has an id up to the floor, and every committed event up to it has its position.
  for segment in
    select s.* from postrider.segment s
    where s.family = 'log' and s.closed_at is null and s.high <= last.floor + 1
    and not exists (select from postrider.backlog)
  loop
    execute format($q$
      insert into postrider.segment_topic (low, topic, first_position, last_position)
      with recursive t as (
        (select l.topic from postrider.%1$I l order by l.topic limit 1)
        union all
        select (select l.topic from postrider.%1$I l where l.topic > t.topic order by l.topic limit 1)
        from t where t.topic is not null
      )
      select $1, r.topic, min(r.first_position), max(r.last_position)
      from (
        select t.topic,
          (select l.position from postrider.%1$I l where l.topic = t.topic order by l.position limit 1) as first_position,
          (select l.position from postrider.%1$I l where l.topic = t.topic order by l.position desc limit 1) as last_position
        from t where t.topic is not null
        union all
        select b.topic, b.position, b.position from postrider.log_beyond b where b.id < $2
      ) r
      group by r.topic
      on conflict do nothing$q$, 'log_' || segment.low) using segment.low, segment.high;
    update postrider.segment s
    set closed_at = clock_timestamp(),
      emptied_at = case when not exists (select from postrider.segment_topic t where t.low = s.low) then clock_timestamp() end
    where s.family = 'log' and s.low = segment.low;
    closed := closed + 1;
  end loop;

  -- Draws the numbers, 0.2 µs each, instead of setval(): numbers that others draw between the read and the setval() would be
  -- used twice, below the range of ids in which a pass searches for new events. At most 4 million in one call: a
  -- segment may have grown large, and the next call continues. Many segments mean that retention is blocked: more do not help.
  select s.* into segment from postrider.segment s
  where s.family = 'log' and s.low = current and s.high > used + 100000
  and s.opened_at < clock_timestamp() - rotate
  and exists (select from postrider.segment f where f.family = 'log' and f.low >= s.high)
  and (select count(*) from postrider.segment f where f.family = 'log') < 24;
  if found then
    perform count(nextval('postrider.event_ids')) from generate_series(
      1, case when segment.high - used > 4100000 then 4000000 else segment.high - used end);
  end if;
  return closed;
end
$$;
