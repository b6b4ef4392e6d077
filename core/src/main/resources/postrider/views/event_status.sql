-- The state of each event for each listener of its topic. Derived from cursor, setback and dead letter: never a column
-- that is rewritten.
--   status  pending, published, failed: the terms of dashboards; shadow: recorded and not sent, in shadow mode
--   state   pending, retrying, delivered, dead, shadow: the terms of the log
create or replace view postrider.event_status as
select l.topic, l.position, e.event_id, r.name as listener,
  case when x.id is not null then 'failed' when s.position is not null or l.position > c.to_position then 'pending'
    when l.position >= r.shadow_from and (r.live_from is null or l.position < r.live_from) then 'shadow'
    else 'published' end as status,
  case when x.id is not null then 'dead' when s.attempt > 0 then 'retrying'
    when s.position is not null or l.position > c.to_position then 'pending'
    when l.position >= r.shadow_from and (r.live_from is null or l.position < r.live_from) then 'shadow'
    else 'delivered' end as state,
  coalesce(x.attempts, s.attempt, 0) as retry_count, s.retry_after as next_retry_at,
  coalesce(x.error, s.error) as last_error, f.at as published_at
from postrider.log l
join postrider.event e on e.tx = l.tx and e.id = l.id
join postrider.listener r on r.topic = l.topic
left join lateral (
  select d.to_position from postrider.delivery d where d.listener = r.name
  order by d.n desc limit 1) c on true
left join postrider.setback s on s.listener = r.name and s.position = l.position
left join postrider.dead_letter x on x.listener = r.name and x.position = l.position
left join lateral (
  select d.at from postrider.delivery d
  where d.listener = r.name and d.from_position > 0 and d.from_position <= l.position and d.to_position >= l.position
  and s.position is null and x.id is null
  order by d.from_position desc limit 1) f on true;
