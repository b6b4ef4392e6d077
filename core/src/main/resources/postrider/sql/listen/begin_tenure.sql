-- a worker begins to run a listener. gives: whether the one before ended in order. touches: tenure
with before as (
  select t.ended_at from postrider.tenure t where t.listener = :listener order by t.n desc limit 1
), begun as (
  insert into postrider.tenure (listener, worker) values (:listener, :worker) returning n
)
select begun.n, coalesce((select before.ended_at is not null from before), true) as in_order
from begun
