-- claimed and unsettled jobs that no live worker holds: the claim's worker has ended, is unknown or has no session, or the
-- claim is older than the oldest one that its worker knows to be open. These jobs are not started again.
-- touches: claim, settlement, worker
with open as (
  select c.worker, c.n, c.topic, c.at, int8multirange(int8range(c.from_position, c.to_position, '[]')) - coalesce((
    select range_agg(r) from postrider.settlement s, unnest(s.positions) r where s.n = c.n), '{}') as positions
  from postrider.claim c
  where c.from_position <= c.to_position
)
select o.worker, o.topic, sum(upper(r) - lower(r))::int8 as jobs, min(o.at) as since
from open o
cross join unnest(o.positions) r
where not exists (
  select from postrider.live_workers() w
  where w.id = o.worker
  and o.n >= (select l.open_n from postrider.claim l where l.worker = w.id order by l.n desc limit 1))
group by o.worker, o.topic
order by min(o.at)
limit 20
