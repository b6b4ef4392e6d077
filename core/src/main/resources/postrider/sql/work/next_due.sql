-- milliseconds until the next job that goes by itself is due, of the types that the worker knows; no row if there is none
select greatest(0, extract(epoch from d.due_at - clock_timestamp()) * 1000)::bigint as wait
from unnest(:topics::text[]) t (topic)
cross join lateral (
  select d.due_at
  from postrider.delayed d
  where d.topic = t.topic and d.worker is null and d.type = any (:types)
  order by d.due_at
  limit 1
) d
order by 1
limit 1
