-- the ranges of ids that may hold rows: each segment together with the ids before it, which are in the table beyond, and the ids
-- after the last. They are read one at a time, so that the work on each is bounded by a segment's size. touches: segment
select coalesce(lag(s.high) over (order by s.low), 0) as low, s.high
from postrider.segment s
where s.family = 'log'
union all
select coalesce(max(s.high), 0), 9223372036854775807
from postrider.segment s
where s.family = 'log'
order by 1
