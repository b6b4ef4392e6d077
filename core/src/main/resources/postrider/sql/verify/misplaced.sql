-- the first few events that placed.sql counts, as examples for the report
with last as materialized (
  select (select p.snapshot from postrider.pass p order by p.n desc limit 1) as snapshot, pg_current_snapshot() as now
), placed as (
  select l.tx, l.id, min(l.topic) as topic, array_agg(l.position order by l.position) as positions
  from postrider.log l
  where l.id >= :low and l.id < :high
  group by l.tx, l.id
)
select case when e.id is null then 'no event' when p.id is null then 'lost' else 'repeated' end as what,
  coalesce(e.topic, p.topic) as topic, coalesce(e.tx, p.tx)::text as tx, coalesce(e.id, p.id) as id,
  coalesce(e.event_id::text, '') as event_id, coalesce(p.positions[1:5]::text, '') as positions
from (select e.tx, e.id, e.topic, e.event_id from postrider.event e where e.id >= :low and e.id < :high) e
full join placed p on p.tx = e.tx and p.id = e.id
cross join last
where e.id is null
or cardinality(p.positions) > 1
or p.id is null and (coalesce(pg_visible_in_snapshot(e.tx, last.snapshot), false) or e.tx >= pg_snapshot_xmax(last.now))
order by 4
limit :most
