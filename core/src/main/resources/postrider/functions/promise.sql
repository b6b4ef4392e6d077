-- promise(…): puts the fresh events of some topics (null: of all) into the backlog, in their order.
--
-- gives    how many events were promised positions
-- touches  event, head (reads), backlog (reads, writes)
create or replace function postrider.promise(
  low_gaps     xid8[],
  high_gaps    xid8[],
  late         xid8[],
  low          bigint,
  floor        bigint,
  newest       bigint,
  era_high     bigint,
  only_topics  text[])
returns bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_mergejoin = off
set enable_sort = off  -- for the grouping: an estimate of a few rows sorted a giant's millions on disk (0.7 s a million, now 0.5)
set jit = off
as $$
declare
  promised bigint;
begin
  with ordered as (
    select g.topic, g.tx, g.events, g.first_id, g.last_id,
      sum(g.events) over (partition by g.topic order by g.tx_last_id, g.tx) as upto
    from (
      select g.*, max(g.last_id) over (partition by g.tx) as tx_last_id
      from (
        select f.topic, f.tx, count(*) as events, min(f.id) as first_id, max(f.id) as last_id
        from postrider.fresh(low_gaps, high_gaps, late, low, floor, newest, era_high) f
        where only_topics is null or f.topic = any (only_topics)
        group by f.topic, f.tx
      ) g
    ) g
  ), tail as materialized (
    select t.topic, postrider.tail_position(t.topic) as position
    from (select distinct o.topic from ordered o) t
  ), promises as (
    insert into postrider.backlog (topic, from_position, to_position, tx, first_id, last_id)
    select o.topic, t.position + o.upto - o.events + 1, t.position + o.upto, o.tx, o.first_id, o.last_id
    from ordered o
    join tail t on t.topic = o.topic
    returning to_position - from_position + 1 as events
  )
  select coalesce(sum(p.events), 0) into promised from promises p;
  return promised;
end
$$;
