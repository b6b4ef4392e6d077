select q.name, q.depth, q.scheduled, q.running, q.oldest_at, q.throughput, q.dead_letters, q.paused, q.running_limit,
  q.key_limit, q.rate, (extract(epoch from q.lease) * 1000)::bigint as lease
from postrider.queues q
order by q.name
