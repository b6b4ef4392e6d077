-- the ranges of positions that a listener has recorded in shadow, from a position on, joined where they touch
select min(r.from_position) as from_position, max(r.to_position) as to_position
from (
  select g.from_position, g.to_position, count(*) filter (where g.gap) over (order by g.from_position) as range
  from (
    select s.from_position, s.to_position,
      s.from_position is distinct from lag(s.to_position) over (order by s.from_position) + 1 as gap
    from postrider.shadow s
    where s.listener = :listener and s.from_position >= :recorded_from) g) r
group by r.range
order by 1
