-- queues whose jobs have waited for a while and on which no running node works. First those that had a worker or were configured
-- (created_at), or whose jobs a worker has claimed: producers invent names, and 20 of them would hide a real queue
select q.name, q.depth, coalesce(extract(epoch from clock_timestamp() - q.oldest_at), 0)::int8 as seconds,
  array_to_string(array(
    select distinct w.queue from postrider.worker_queue w join postrider.live_workers() l on l.id = w.worker order by 1), ', ')
    as worked_on
from postrider.queues q
where q.depth > 0
and q.oldest_at < clock_timestamp() - :seconds * interval '1 second'
and not postrider.works_on(q.name)
order by q.created_at is null
  and not exists (select from postrider.claim c where c.topic = any (postrider.lanes(q.name)) and c.worker > 0),
  q.oldest_at
limit 20
