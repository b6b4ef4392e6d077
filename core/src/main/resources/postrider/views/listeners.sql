-- Each listener: its position, its lag, and what blocks it.
--   lag           committed events of its topic that it has not finished, with or without a position
--   unpositioned  the part of the lag that has no position yet; if it is large or old, no node is sequencing. A lower bound if
--                 more than a million events wait
--   unpositioned_since  when the oldest of these was emitted
--   mode          live, or shadow: it does everything except the sending. From shadow_from up to live_from it is in shadow; without
--                 live_from, until go_live(). shadow_asked_at: the node that runs it was asked to enter shadow and has not yet
create or replace view postrider.listeners as
select l.name, l.topic, l.kind, l.policy, c.to_position as position, h.position as head,
  greatest(h.position - c.to_position, 0) + coalesce(u.events, 0) as lag, c.at as last_progress_at,
  greatest(coalesce(s.attempt, 0), l.unavailable_tries) as attempts, coalesce(l.unavailable_until, s.retry_after) as retry_after,
  coalesce(l.unavailable_error, s.error) as last_error,
  (select count(*) from postrider.setback w where w.listener = l.name) as setbacks,
  (select count(*) from postrider.dead_letter d where d.listener = l.name) as dead_letters,
  l.paused, l.detached_at, o.pid as owner_pid, t.worker as owner, l.types, l.batch, l.attempts as max_attempts, l.created_at,
  coalesce(u.events, 0) as unpositioned, u.oldest_at as unpositioned_since,
  case when l.shadow_from is not null and (l.live_from is null or c.to_position + 1 < l.live_from) then 'shadow' else 'live' end
    as mode,
  l.shadow_from, l.live_from, l.shadow_asked_at,
  case when l.unavailable_error is not null then 'unavailable' else s.error_code end as last_error_code
from postrider.listener l
left join (
  select u.topic, sum(u.events)::bigint as events, min(u.oldest_at) as oldest_at
  from postrider.unpositioned() u group by u.topic) u on u.topic = l.topic
left join lateral (
  select d.to_position, d.at from postrider.delivery d where d.listener = l.name
  order by d.n desc limit 1) c on true
left join lateral (
  select coalesce((
    select h.position from postrider.head h where h.topic = l.topic order by h.position desc limit 1), 0) as position) h on true
left join lateral (
  select s.attempt, s.retry_after, s.error_code, s.error from postrider.setback s
  where s.listener = l.name and s.attempt > 0 order by s.position limit 1) s on true
left join lateral (
  select k.pid from pg_locks k
  where k.locktype = 'advisory' and k.database = (select d.oid from pg_database d where d.datname = current_database())
  and k.classid = 'postrider.listener'::regclass::oid and k.objid::int8 = l.id and k.objsubid = 2 and k.granted
  limit 1) o on true
left join lateral (
  select t.worker from postrider.tenure t where t.listener = l.name and o.pid is not null order by t.n desc limit 1) t on true;
