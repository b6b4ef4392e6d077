-- a job that goes by itself is finished. gives: a row if it was ours still. touches: delayed, finish
with gone as (
  delete from postrider.delayed d
  where d.topic = :topic and d.position = :position and d.worker = :worker and d.attempt = :attempt
  returning d.*
)
insert into postrider.finish (topic, position, fate, attempts, worker, claimed_at, result)
select g.topic, g.position, :fate, g.attempt, g.worker, g.claimed_at, :result::jsonb
from gone g
returning position
