-- transactions whose events in a topic are not side by side. Of this era only: elsewhere a transaction's number may be
-- another's as well. touches: log, era
with whole as (
  select l.topic, l.tx, min(l.position) as first, max(l.position) as last, count(*) as events
  from postrider.log l
  where l.id > coalesce((select e.high from postrider.era e order by e.era desc limit 1), 0)
  group by l.topic, l.tx
)
select count(*) as transactions, count(*) filter (where t.last - t.first + 1 <> t.events) as torn,
  array(
    select w.topic || ' transaction ' || w.tx || ': ' || w.events || ' events at positions ' || w.first || '..' || w.last
    from whole w
    where w.last - w.first + 1 <> w.events
    limit 5) as offenders
from whole t
