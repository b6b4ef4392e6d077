-- types of due jobs that no running node handles, in queues on which a node works. Reads at most 100,000 due jobs
select split_part(d.topic, ':', 2) as queue, d.type, count(*) as jobs,
  extract(epoch from clock_timestamp() - min(d.created_at))::int8 as seconds
from (
  select d.topic, d.type, d.created_at
  from postrider.delayed d
  where d.worker is null and d.due_at <= clock_timestamp()
  limit 100000) d
group by 1, 2
having postrider.works_on(split_part(d.topic, ':', 2)) and not postrider.works_on(split_part(d.topic, ':', 2), d.type)
order by min(d.created_at)
limit 20
