-- how many jobs each queue has, and how they stand; first the queues that workers work on, whatever names producers invent
select q.name, q.depth, q.running, q.scheduled, q.dead_letters
from postrider.queues q
order by q.created_at is null, q.name
limit :most
