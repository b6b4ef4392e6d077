-- the oldest position from which on the event log is whole: after what retention has taken or an operator has passed over, after
-- where its listener began, after what failed for good. Needs reach all.
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
