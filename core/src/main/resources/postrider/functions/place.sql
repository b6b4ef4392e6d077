-- place(n, topics, txs, ids, lasts): assigns the next positions of their topics to these events.
--
-- takes    lasts: for each event, the greatest id of its transaction; null if all events of its transaction are here
-- gives    the topics that moved and their new heads
-- touches  head (reads, writes), log (writes)
create or replace function postrider.place(
  n          bigint,
  of_topics  text[],
  txs        xid8[],
  ids        bigint[],
  lasts      bigint[],
  out topics text[],
  out heads  bigint[])
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_variable
begin
  with fresh as materialized (
    select f.topic, f.tx, f.id, f.last
    from unnest(of_topics, txs, ids, lasts) as f (topic, tx, id, last)
  ), ordered as (
    select f.topic, f.tx, f.id, row_number() over (partition by f.topic order by f.tx_last_id, f.id) as place
    from (select f.*, max(coalesce(f.last, f.id)) over (partition by f.tx) as tx_last_id from fresh f) f
  ), was as materialized (
    select t.topic, coalesce((
      select h.position from postrider.head h where h.topic = t.topic order by h.position desc limit 1), 0) as head
    from (select distinct f.topic from fresh f) t
  ), logged as (
    insert into postrider.log (topic, position, tx, id)
    select o.topic, w.head + o.place, o.tx, o.id
    from ordered o
    join was w on w.topic = o.topic
    order by 1, 2
    returning log.topic, log.position
  ), moved as (
    insert into postrider.head (topic, position, n)
    select l.topic, max(l.position), n
    from logged l
    group by l.topic
    returning head.topic, head.position
  )
  select array_agg(m.topic), array_agg(m.position) into topics, heads from moved m;
end
$$;
