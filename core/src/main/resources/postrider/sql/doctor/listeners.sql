-- listeners that need attention
select l.name,
  case when l.detached_at is not null then 'detached' when l.paused then 'paused'
    when l.owner_pid is null and l.lag > 0 then 'unowned' when l.attempts > 0 then 'retrying'
    when l.dead_letters > 0 then 'dead letters' end as trouble,
  l.lag, l.attempts, l.dead_letters, coalesce(l.last_error, '') as last_error
from postrider.listeners l
where l.detached_at is not null or l.paused or (l.owner_pid is null and l.lag > 0) or l.attempts > 0 or l.dead_letters > 0
order by l.name
limit 20
