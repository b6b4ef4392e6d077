-- the oldest position from which the event log is complete: after the positions that retention has deleted or an operator has
-- skipped, after the start of its listener, after permanent failures. Needs reach all.
-- touches: event_log_forgotten, event_log, delivery, dead_letter, setback
select greatest(
  coalesce((select f.position + 1 from postrider.event_log_forgotten f where f.topic = :topic), 1),
  coalesce((select e.position from postrider.event_log e where e.topic = :topic order by e.position limit 1), c.position + 1),
  coalesce((select max(d.position) + 1 from postrider.dead_letter d where d.listener = :listener and d.position <= c.position), 1),
  coalesce((select max(s.position) + 1 from postrider.setback s where s.listener = :listener and s.position <= c.position), 1)
  ) as position
from (
  select coalesce((
    select d.to_position from postrider.delivery d where d.listener = :listener order by d.n desc limit 1), 0) as position) c
