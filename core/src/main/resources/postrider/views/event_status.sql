-- The state of each event for each listener of its topic. Derived from cursor, filter, setback and dead letter: never a column
-- that is rewritten.
--   status  pending, published, failed: the terms of dashboards; not_wanted: the event is from before the start of the listener,
--           was skipped by a reset, or has a type or project that the listener filters out; shadow: recorded and not sent, in
--           shadow mode
--   state   pending, retrying, delivered, dead: the terms of the log; not_wanted, shadow
create or replace view postrider.event_status as
select l.topic, l.position, e.event_id, r.name as listener,
  case when x.id is not null then 'failed' when s.position is not null then 'pending' when w.wanted is false then 'not_wanted'
    when l.position > c.to_position then 'pending'
    when l.position >= r.shadow_from and (r.live_from is null or l.position < r.live_from) then 'shadow'
    else 'published' end as status,
  case when x.id is not null then 'dead' when s.attempt > 0 then 'retrying' when s.position is not null then 'pending'
    when w.wanted is false then 'not_wanted' when l.position > c.to_position then 'pending'
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
left join lateral (
  select not i.skipped and (i.types is null or e.type = any (i.types))
    and (i.projects is null or coalesce(e.project_id = any (i.projects), false)) as wanted
  from postrider.listener_filter i
  where i.listener = r.name and i.from_position <= l.position
  order by i.from_position desc limit 1) w on true
left join postrider.setback s on s.listener = r.name and s.position = l.position
left join postrider.dead_letter x on x.listener = r.name and x.position = l.position
left join lateral (
  select d.at from postrider.delivery d
  where d.listener = r.name and d.from_position > 0 and d.from_position <= l.position and d.to_position >= l.position
  and s.position is null and x.id is null and w.wanted is not false
  order by d.from_position desc limit 1) f on true;
