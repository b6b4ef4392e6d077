-- transactions whose events in a topic are not contiguous. Era by era, because the same transaction number may belong to another
-- transaction in the previous era. touches: log, era
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
