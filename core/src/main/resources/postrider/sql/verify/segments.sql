-- the ranges of ids that are kept: the segments, and what lies beyond them. Walked one by one, so that the work on each is
-- bounded by a segment's size. touches: segment, event_beyond, log_beyond
select s.low, s.high
from postrider.segment s
where s.family = 'log' and s.emptied_at is null
union all
select b.low, b.high
from (
  select min(b.low) as low, max(b.high) as high
  from (
    select min(e.id) as low, max(e.id) + 1 as high from postrider.event_beyond e
    union all
    select min(l.id), max(l.id) + 1 from postrider.log_beyond l
  ) b
) b
where b.low is not null
order by 1
