-- how many jobs each queue has, and how they stand
select q.name, q.depth, q.running, q.scheduled, q.dead_letters
from postrider.queues q
order by q.name
limit :most
