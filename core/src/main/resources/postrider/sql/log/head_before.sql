-- the head of a topic when an era began, according to the latest passes. touches: pass, head
with first as materialized (
  select min(p.n) as n from (select p.n, p.era from postrider.pass p order by p.n desc limit 10000) p where p.era = :era
)
select coalesce((
  select h.position from postrider.head h, first f
  where h.topic = :topic and h.n < f.n order by h.position desc limit 1), 0) as position
