-- of the events in a range of ids: how many there are, how many have no position or more than one, and how many positions
-- have no event. An event without a position is lost if the last pass saw its transaction, or if its transaction number is not of
-- this cluster; otherwise it waits for the next pass, or in the backlog.
-- touches: event, log, pass, backlog, head
with last as materialized (
  select (select p.snapshot from postrider.pass p order by p.n desc limit 1) as snapshot, pg_current_snapshot() as now
), placed as (
  select l.tx, l.id, count(*) as positions
  from postrider.log l
  where l.id >= :low and l.id < :high
  group by l.tx, l.id
), matched as (
  select e.tx, e.id as event, p.id as place, p.positions, e.topic
  from (select e.tx, e.id, e.topic from postrider.event e where e.id >= :low and e.id < :high) e
  full join placed p on p.tx = e.tx and p.id = e.id
), unplaced as (
  select case when exists (
      select from postrider.backlog b
      where b.topic = m.topic and b.tx = m.tx and m.event between b.first_id and b.last_id
      and b.to_position > coalesce((
        select h.position from postrider.head h where h.topic = m.topic order by h.position desc limit 1), 0)) then false
    else coalesce(pg_visible_in_snapshot(m.tx, last.snapshot), false) or m.tx >= pg_snapshot_xmax(last.now) end as lost
  from matched m, last
  where m.place is null
)
select m.events, m.repeated, m.empty,
  (select count(*) from unplaced u where u.lost) as lost, (select count(*) from unplaced u where not u.lost) as waiting
from (
  select count(m.event) as events, count(*) filter (where m.positions > 1) as repeated,
    count(*) filter (where m.event is null) as empty
  from matched m
) m
