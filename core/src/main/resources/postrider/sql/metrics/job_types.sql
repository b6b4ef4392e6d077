-- the waiting jobs of the queues, by type. Only the first positions of each lane are read, and the others are extrapolated from them:
-- a metrics query must not count a backlog of millions
with lane as (
  select t.topic, h.position - c.position as pending, c.position as claimed, h.position as head
  from postrider.queue_names() n (name), unnest(postrider.lanes(n.name)) t (topic)
  cross join lateral (select coalesce((
    select h.position from postrider.head h where h.topic = t.topic order by h.position desc limit 1), 0) as position) h
  cross join lateral (select coalesce((
    select c.to_position from postrider.claim c
    where c.topic = t.topic order by c.from_position desc, c.n desc limit 1), 0) as position) c
  where h.position > c.position)
, waiting as (
  select e.type, count(*) * greatest(1, a.pending::float8 / :sample) as depth
  from lane a
  join postrider.log l on l.topic = a.topic and l.position > a.claimed and l.position <= least(a.head, a.claimed + :sample)
  join postrider.event e on e.tx = l.tx and e.id = l.id
  group by e.type, a.topic, a.pending
  union all
  select d.type, count(*) from postrider.delayed d
  where d.worker is null and d.due_at <= clock_timestamp()
  group by d.type)
-- producers can invent types, so types beyond :most are summed up as one, and every job is counted
, ranked as (
  select w.type, sum(w.depth) as depth, row_number() over (order by sum(w.depth) desc, w.type) as rank
  from waiting w
  group by w.type)
select case when r.rank <= :most then r.type else 'other' end as type, sum(r.depth)::float8 as depth
from ranked r
group by 1
order by min(r.rank)
