-- transactions whose events in a topic are not side by side. Era by era, because a transaction's number may be another's as
-- well in the era before. touches: log, era
with whole as (
  select l.topic, l.tx, min(l.position) as first, max(l.position) as last, count(*) as events
  from postrider.log l
  group by l.topic, l.tx, width_bucket(l.id, (select array_agg(e.high + 1 order by e.high) from postrider.era e))
)
select count(*) as transactions, count(*) filter (where t.last - t.first + 1 <> t.events) as torn,
  array(
    select w.topic || ' transaction ' || w.tx || ': ' || w.events || ' events at positions ' || w.first || '..' || w.last
    from whole w
    where w.last - w.first + 1 <> w.events
    limit 5) as offenders
from whole t
