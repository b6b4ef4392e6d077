-- queues with runnable jobs, a live worker with a free slot for them, and no claim for a while: claiming fails there.
-- Excludes queues that have reached a limit, and workers that run a suspect alone.
-- takes: seconds without a claim. touches: queue, claim, delayed, head, worker, log, event
with candidate as (
  select q.queue, min(q.worker) as worker
  from postrider.live_workers() w
  join postrider.worker_queue q on q.worker = w.id
  where q.slots > (
      select coalesce(sum(upper(r) - lower(r)), 0)
      from postrider.open_claims() o, unnest(o.positions) r
      where o.worker = w.id and o.topic = any (postrider.lanes(q.queue)))
    + (select count(*) from postrider.delayed d where d.worker = w.id and d.topic = any (postrider.lanes(q.queue)))
  and not exists (select from postrider.delayed d where d.worker = w.id and d.crashes > 1)
  group by q.queue
)
select c.queue, s.jobs, extract(epoch from clock_timestamp() - s.since)::int8 as seconds
from candidate c
left join postrider.queue q on q.name = c.queue
cross join lateral (
  select sum(p.jobs)::int8 as jobs, min(p.since) as since
  from (
    select h.position - k.position as jobs, greatest(k.at, e.created_at) as since
    from unnest(postrider.lanes(c.queue)) t (topic)
    cross join lateral (
      select h.position from postrider.head h where h.topic = t.topic order by h.position desc limit 1) h
    cross join lateral (
      select coalesce(max(k.to_position), 0) as position, max(k.at) as at
      from (
        select k.to_position, k.at from postrider.claim k
        where k.topic = t.topic order by k.from_position desc, k.n desc limit 1) k) k
    join postrider.log l on l.topic = t.topic and l.position = k.position + 1
    join postrider.event e on e.tx = l.tx and e.id = l.id
    where h.position > k.position
    union all
    select count(*), min(d.due_at)
    from postrider.delayed d
    where d.topic = any (postrider.lanes(c.queue)) and d.worker is null and d.why <> 'key' and d.crashes = 0
    and d.due_at < clock_timestamp() - :seconds * interval '1 second'
    and exists (
      select from postrider.worker_queue w where w.worker = c.worker and w.queue = c.queue and d.type = any (w.types))
    having count(*) > 0
  ) p
) s
where s.jobs > 0
and not coalesce(q.paused, false)
and s.since < clock_timestamp() - :seconds * interval '1 second'
and coalesce(postrider.allowance(c.queue), 1) > 0
order by c.queue
limit 20
