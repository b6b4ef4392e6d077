-- events that are committed and have no position, counted up to 100000, and how long the oldest of them waits.
-- The floor of the last pass bounds the look: every committed event up to it has its position
with last as materialized (
  select coalesce((select p.floor from postrider.pass p order by p.n desc limit 1), 0) as floor
)
select count(*) as events,
  coalesce(extract(epoch from clock_timestamp() - min(u.created_at)), 0)::int8 as seconds
from (
  select e.created_at
  from postrider.event e
  where e.id > (select l.floor from last l)
  and not exists (
    select from postrider.log g where g.id > (select l.floor from last l) and g.tx = e.tx and g.id = e.id)
  limit 100000
) u
