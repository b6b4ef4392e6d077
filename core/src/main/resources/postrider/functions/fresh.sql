-- fresh(…): the events that were committed between two snapshots. The finder of sequence(), which says why.
--
-- takes    the gaps between running transactions, the transactions that were running and are not, and bounds of id
-- gives    tx, id, topic of each, in no order
-- touches  event, log (reads)
-- never    hides an event that has no position: the bounds of id are only there to look into few segments.
--          The look into log is for ids from before the era, where a transaction's number may have been used twice
create or replace function postrider.fresh(
  low_gaps   xid8[],
  high_gaps  xid8[],
  late       xid8[],
  low        bigint,
  floor      bigint,
  newest     bigint,
  era_high   bigint)
returns table (tx xid8, id bigint, topic text)
language sql stable as $$
  select e.tx, e.id, e.topic
  from unnest(low_gaps, high_gaps) as gap (from_tx, upto_tx)
  join postrider.event e on e.tx >= gap.from_tx and e.tx < gap.upto_tx
  where e.id > low
  and e.id <= newest
  and (e.id > era_high or not exists (select from postrider.log l where l.tx = e.tx and l.id = e.id))
  union all
  select e.tx, e.id, e.topic
  from unnest(late) as was (running)
  join postrider.event e on e.tx = was.running
  where e.id > floor
  and e.id <= newest
  and (e.id > era_high or not exists (select from postrider.log l where l.tx = e.tx and l.id = e.id))
$$;
