-- promise(…, only_topics, most): puts fresh events into the backlog, in their order: those of some topics, or (null) of all topics
-- except the spared ones.
--
-- takes    most: the size of a pass
-- gives    how many events were promised positions; and the events of the spared topics, which the pass places at once. A topic is
--          spared if only small transactions wrote to it (most / 200 events in all their topics together): a
--          transaction that writes to 100,000 topics delays these topics, not the others (G6). The oldest ones, up to 500 topics
--          and half a pass
-- touches  event, head (reads), backlog (reads, writes)
--
-- The events of a transaction in a topic are one row, unless they are scattered among those of other topics: then one row for
-- every 128 ids. Assigning a row reads all events of the transaction in its range: two events in each of 50,000 topics, first
-- all topics once and then again, were 50,000 × 50,000 events to read.
create or replace function postrider.promise(
  low_gaps      xid8[],
  high_gaps     xid8[],
  late          xid8[],
  low           bigint,
  floor         bigint,
  newest        bigint,
  era_high      bigint,
  only_topics   text[],
  most          int,
  out promised  bigint,
  out topics    text[],
  out txs       xid8[],
  out ids       bigint[],
  out lasts     bigint[])
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_mergejoin = off
set enable_nestloop = off   -- joins sets: 24,000 scattered events in 12,000 topics took 12 s, now 0.3 s
set work_mem = '64MB'  -- 700,000 topics; with 4 MB each step went to disk
set enable_sort = off  -- for the grouping: an estimate of a few rows sorted a giant's millions on disk (0.7 s a million, now 0.5)
set jit = off
as $$
#variable_conflict use_column
declare
  spared  record;
begin
  with groups as materialized (
    select g.*, sum(g.events) over (partition by g.tx) as tx_events, max(g.last_id) over (partition by g.tx) as tx_last_id,
      g.last_id - g.first_id >= 64 * g.events as scattered
    from (
      select f.topic, f.tx, count(*) as events, min(f.id) as first_id, max(f.id) as last_id
      from postrider.fresh(low_gaps, high_gaps, late, low, floor, newest, era_high) f
      group by f.topic, f.tx
    ) g
  ), parts as materialized (
    select g.topic, g.tx, g.tx_events, g.tx_last_id, g.events, g.first_id, g.last_id
    from groups g
    where not g.scattered and (only_topics is null or g.topic in (select unnest(only_topics)))
    union all
    select g.topic, g.tx, g.tx_events, g.tx_last_id, count(*), min(f.id), max(f.id)
    from postrider.fresh(low_gaps, high_gaps, late, low, floor, newest, era_high) f
    join groups g on g.topic = f.topic and g.tx = f.tx
    where g.scattered and (only_topics is null or g.topic in (select unnest(only_topics)))
    and exists (select from groups s where s.scattered)  -- checked once: if there are none, the events are not read again
    group by g.topic, g.tx, g.tx_events, g.tx_last_id, f.id / 128
  ), tails as materialized (
    select t.*,
      coalesce((select b.to_position from postrider.backlog b where b.topic = t.topic order by b.from_position desc limit 1), 0)
        as promised,
      coalesce((select h.position from postrider.head h where h.topic = t.topic order by h.position desc limit 1), 0) as head
    from (
      select p.topic, max(p.tx_events) as largest, sum(p.events) as events, min(p.first_id) as first_id
      from parts p
      group by p.topic
    ) t
  ), spare as materialized (
    select s.topic
    from (
      select t.topic, sum(t.events) over by_age as events, row_number() over by_age as k
      from tails t
      where only_topics is null and t.largest <= greatest(most / 200, 1) and t.promised <= t.head
      window by_age as (order by t.first_id rows unbounded preceding)
    ) s
    where s.events <= most / 2 and s.k <= 500
  ), promises as (
    insert into postrider.backlog (topic, from_position, to_position, tx, first_id, last_id)
    select o.topic, o.tail + o.upto - o.events + 1, o.tail + o.upto, o.tx, o.first_id, o.last_id
    from (
      select p.topic, p.tx, p.events, p.first_id, p.last_id, greatest(t.promised, t.head) as tail,
        sum(p.events) over (partition by p.topic order by p.tx_last_id, p.tx, p.first_id)::bigint as upto
      from parts p
      join tails t on t.topic = p.topic
      where p.topic not in (select s.topic from spare s)
    ) o
    returning to_position - from_position + 1 as events
  )
  select (select coalesce(sum(p.events), 0) from promises p) as promised, sum(p.events) as events, array_agg(p.topic) as topics, array_agg(p.tx) as txs,
    array_agg(p.first_id) as first_ids, array_agg(p.last_id) as last_ids,
    array_agg(p.tx_last_id) as tx_last_ids
  into spared
  from parts p
  where p.topic in (select s.topic from spare s);

  promised := spared.promised;
  select array_agg(p.topic), array_agg(p.tx), array_agg(e.id), array_agg(p.tx_last_id)
  into topics, txs, ids, lasts
  from unnest(spared.topics, spared.txs, spared.first_ids, spared.last_ids, spared.tx_last_ids)
    as p (topic, tx, first_id, last_id, tx_last_id)
  cross join lateral (
    select e.id
    from postrider.event e
    where e.tx = p.tx and e.id >= p.first_id and e.id <= p.last_id and e.topic = p.topic
    offset 0) e;
  if cardinality(ids) is distinct from spared.events then
    raise exception 'found % events to place instead of %', cardinality(ids), spared.events using errcode = 'PR002';
  end if;
end
$$;
