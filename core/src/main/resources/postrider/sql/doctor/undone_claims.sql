-- claims with positions that are not settled, of workers that ended more than a minute ago or that nobody knows: jobs that no
-- live worker holds. Reads the history of all claims that is kept, once
with settled as materialized (
  select s.n, sum(upper(r) - lower(r)) as positions from postrider.settlement s, unnest(s.positions) r group by s.n
)
select c.worker, c.topic::text as topic,
  sum(c.to_position - c.from_position + 1 - coalesce(s.positions, 0))::bigint as jobs, min(c.at) as since
from postrider.claim c
left join settled s on s.n = c.n
left join postrider.worker w on w.id = c.worker
where c.worker > 0
and c.to_position - c.from_position + 1 > coalesce(s.positions, 0)
and (w.id is null or w.ended_at < clock_timestamp() - interval '1 minute')
group by c.worker, c.topic
order by min(c.at)
limit 20
