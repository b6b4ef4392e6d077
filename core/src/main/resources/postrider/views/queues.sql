-- Each queue: its waiting and running jobs, and its throughput.
--   depth       jobs that could run now, plus unclaimed jobs with or without a position: only a claim shows whether an
--               unclaimed job is scheduled for later
--   scheduled   jobs that are scheduled for later
--   oldest_at   when the oldest job that could run was enqueued
--   throughput  jobs started per second, over the last minute
--   unpositioned  committed jobs that have no position yet; if they are many or old, no node is sequencing. A lower bound if more
--               than a million events wait, or if the backlog has more than 1,000 topics and no worker has registered the queue
create or replace view postrider.queues as
with fresh as materialized (
  select split_part(u.topic, ':', 2) as name, sum(u.events)::bigint as events, min(u.oldest_at) as oldest_at
  from postrider.unpositioned() u where u.topic >= 'queue:' and u.topic < 'queue;'
  group by 1
  limit 1000
), running as materialized (
  select split_part(o.topic, ':', 2) as name, sum(upper(r) - lower(r)) as running
  from postrider.open_claims() o, unnest(o.positions) r
  group by 1
)
select n.name,
  (u.pending + coalesce(d.due, 0) + coalesce(f.events, 0))::bigint as depth, coalesce(d.scheduled, 0)::bigint as scheduled,
  (coalesce(o.running, 0) + coalesce(d.running, 0))::bigint as running,
  least(u.oldest_at, d.oldest_at, f.oldest_at) as oldest_at,
  round(postrider.begun(n.name, interval '1 minute') / 60.0, 1) as throughput,
  (select count(*) from postrider.dead_letter x where x.listener = any (postrider.lanes(n.name))) as dead_letters,
  coalesce(q.paused, false) as paused, q.running_limit, q.key_limit, q.rate, q.rate_period, q.created_at,
  coalesce(f.events, 0) as unpositioned, q.lease
from (select q.name from postrider.queue_names() q (name) union select f.name from fresh f) n
left join fresh f on f.name = n.name
left join postrider.queue q on q.name = n.name
cross join lateral (
  select coalesce(sum(h.position - c.position), 0) as pending, min(e.created_at::timestamptz) as oldest_at
  from unnest(postrider.lanes(n.name)) t (topic)
  cross join lateral (
    select h.position from postrider.head h where h.topic = t.topic order by h.position desc limit 1) h
  cross join lateral (select coalesce((
    select c.to_position from postrider.claim c
    where c.topic = t.topic order by c.from_position desc, c.n desc limit 1), 0) as position) c
  left join postrider.log l on l.topic = t.topic and l.position = c.position + 1
  left join postrider.event e on e.tx = l.tx and e.id = l.id
) u
left join lateral (
  select count(*) filter (where d.worker is null and d.due_at <= clock_timestamp()) as due,
    count(*) filter (where d.worker is null and d.due_at > clock_timestamp()) as scheduled,
    count(*) filter (where d.worker is not null) as running,
    min(d.created_at) filter (where d.worker is null and d.due_at <= clock_timestamp()) as oldest_at
  from postrider.delayed d where d.topic = any (postrider.lanes(n.name))
) d on true
left join running o on o.name = n.name;
