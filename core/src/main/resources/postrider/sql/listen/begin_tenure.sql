-- a worker begins to run a listener. gives: its tenure, and the previous one if that did not end cleanly, otherwise 0.
-- touches: tenure
with before as (
  select t.n, t.ended_at from postrider.tenure t where t.listener = :listener order by t.n desc limit 1
), begun as (
  insert into postrider.tenure (listener, worker) values (:listener, :worker) returning n
)
select begun.n, coalesce((select before.n from before where before.ended_at is null), 0) as cut_n
from begun
