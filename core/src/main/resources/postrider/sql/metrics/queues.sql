-- how many jobs each queue has in each state; first the queues that workers work on, whatever names producers invent
select q.name, q.depth, q.running, q.scheduled, q.dead_letters
from postrider.queues q
order by q.created_at is null, q.name
limit :most
