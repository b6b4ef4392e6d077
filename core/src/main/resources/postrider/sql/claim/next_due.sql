-- the work of a queue outside its lanes. gives, unless the queue is paused, milliseconds until the next delayed jobs are due, of
-- the types that the worker handles, for each tier of suspicion (claim_delayed.sql). Jobs that wait for their key are not included:
-- tier -1 says that there are such jobs, which are checked when a job has ended. Tier -2: the queue has a rate.
-- A time is bounded before now is subtracted from it, because a row that was written before V008 may be due at infinity
with queue as (
  select q.rate is not null as rated, q.paused from postrider.queue q where q.name = :queue
), clock as materialized (
  select clock_timestamp() as now
)
select t.tier, min(d.wait) as wait
from (values (0)) t (tier)
cross join unnest(postrider.lanes(:queue)) l (topic)
cross join unnest(:types::text[]) y (type)
cross join (values (0), (1)) k (kind)
cross join clock c
cross join lateral (
  select (extract(epoch from greatest(c.now, least(d.due_at, c.now + interval '1 day')) - c.now) * 1000)::bigint as wait
  from postrider.delayed d
  where d.topic = l.topic and d.type = y.type and d.worker is null and d.crashes = 0
  and case when d.key is null then 0 when d.why = 'key' then 2 else 1 end = k.kind and d.why <> 'key'
  order by d.due_at, d.position
  limit 1
) d
where not exists (select from queue q where q.paused)
group by t.tier
union all
select least(d.crashes, 2), min((extract(epoch from greatest(c.now, least(d.due_at, c.now + interval '1 day')) - c.now) * 1000)::bigint)
from postrider.delayed d
cross join clock c
where d.topic = any (postrider.lanes(:queue)) and d.worker is null and d.crashes > 0 and d.type = any (:types)
and not exists (select from queue q where q.paused)
group by 1
union all
select -1, 0
where exists (
  select from unnest(postrider.lanes(:queue)) l (topic)
  cross join lateral (
    select from postrider.delayed d
    where d.topic = l.topic and d.worker is null and d.key is not null and d.why = 'key'
    order by d.key  -- so that only the first row of the index is read, instead of all into a bitmap
    limit 1
  ) d)
union all
select -2, 0 from queue q where q.rated
