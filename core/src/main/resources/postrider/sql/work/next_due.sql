-- milliseconds until the next jobs that go by themselves are due, of the types that the worker knows, for each tier of
-- suspicion (claim_delayed.sql). Not those that wait for their key: they are looked at when a job has ended
select t.tier, min(d.wait) as wait
from (values (0)) t (tier)
cross join unnest(postrider.lanes(:queue)) l (topic)
cross join lateral (
  select greatest(0, extract(epoch from d.due_at - clock_timestamp()) * 1000)::bigint as wait
  from postrider.delayed d
  where d.topic = l.topic and d.worker is null and d.type = any (:types) and d.crashes = 0 and d.why <> 'key'
  order by d.due_at
  limit 1
) d
group by t.tier
union all
select least(d.crashes, 2), min(greatest(0, extract(epoch from d.due_at - clock_timestamp()) * 1000)::bigint)
from postrider.delayed d
where d.topic = any (postrider.lanes(:queue)) and d.worker is null and d.crashes > 0 and d.type = any (:types)
group by 1
