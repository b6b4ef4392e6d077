-- shorten_ledgers(grace): empties the segments of pass, head and delivery that are full and not among the latest two. First it
-- carries over the last row of each topic and each listener, and closes the segment: at most 5,000 topics in one call, and the next
-- call continues (150,000 topics at once stopped passes for 19 s). A later call empties it, when the closing is older than grace.
-- TRUNCATE is not MVCC-safe: in one step, a dump whose snapshot was a moment older, and which had not locked the tables yet, found
-- neither the old row nor the one carried over, and so a listener without a cursor.
--
-- gives    the names of the segments emptied
-- touches  head, delivery (writes), segment (writes)
-- locks    the emptied tables exclusively, and nothing that passes need. The caller sets lock_timeout
create or replace function postrider.shorten_ledgers(grace interval default interval '1 minute')
returns setof text
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  most_heads  constant int := 5000;
  segment     postrider.segment;
  last_n      bigint;
  carried     bigint;
begin
  if not pg_try_advisory_xact_lock('postrider.segment'::regclass::oid::int4, 1) then
    return;
  end if;
  for segment in
    select s.* from postrider.segment s
    where s.family in ('pass', 'delivery') and s.emptied_at is null and s.opened_at is not null
    and (select count(*) from postrider.segment f
         where f.family = s.family and f.low > s.low and f.opened_at is not null) >= 2
    order by s.family, s.low
  loop
    if segment.closed_at > clock_timestamp() - grace then
      continue;
    elsif segment.closed_at is not null then
      execute format('truncate %s', (
        select string_agg(format('postrider.%I', t || '_' || segment.low), ', ')
        from unnest(case segment.family when 'pass' then array['pass', 'head'] else array['delivery'] end) t));
      update postrider.segment s set emptied_at = clock_timestamp()
      where s.family = segment.family and s.low = segment.low;
      return next segment.family || '_' || segment.low;
      continue;
    elsif segment.family = 'pass' then
      -- Without a lock: passes add rows with greater positions or numbers only, so a head carried over beside a running pass
      -- is either still the last row of its topic or superseded by one of a later segment.
      select max(p.n) into last_n from postrider.pass p;
      insert into postrider.head (topic, position, n)
      select h.topic, h.position, last_n
      from (
        with recursive t as (
          (select h.topic from postrider.head h where h.n < segment.high order by h.topic limit 1)
          union all
          select (
            select h.topic from postrider.head h where h.n < segment.high and h.topic > t.topic order by h.topic limit 1)
          from t where t.topic is not null
        )
        select t.topic from t
        where t.topic is not null
        and not exists (select from postrider.head h where h.topic = t.topic and h.n >= segment.high)
        limit most_heads
      ) t
      cross join lateral (
        select h.topic, h.position from postrider.head h where h.topic = t.topic order by h.position desc, h.n desc limit 1) h
      on conflict do nothing;
      get diagnostics carried = row_count;
      if carried = most_heads then
        return;  -- the next call continues
      end if;
    else
      insert into postrider.delivery (n, listener, from_position, to_position, events, worker, at)
      select postrider.next_number('delivery_numbers', d.n), d.listener, d.from_position, d.to_position, d.events, d.worker, d.at
      from postrider.listener l
      join lateral (
        select d.* from postrider.delivery d where d.listener = l.name
        order by d.n desc limit 1) d on true
      where d.n < segment.high
      and pg_try_advisory_xact_lock('postrider.delivery'::regclass::oid::int4, l.id);
      if exists (
        select from postrider.listener l
        join lateral (
          select d.n from postrider.delivery d where d.listener = l.name
          order by d.n desc limit 1) d on true
        where d.n < segment.high)
      then
        continue;  -- the listener is active: it will write a new row, or is carried over by a later call
      end if;
    end if;
    update postrider.segment s set closed_at = clock_timestamp()
    where s.family = segment.family and s.low = segment.low;
  end loop;
end
$$;
