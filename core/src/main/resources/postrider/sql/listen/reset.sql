-- moves a listener's cursor by a new starting point in its ledger, and reattaches a detached one. The node that runs it finds its
-- next delivery refused, and reads the new position. The number of its course comes from the clock: a counter would give the same
-- number again after a restore or a failover that lost this reset, and events that the sink has of the lost course would not be
-- sent. A failed event that is skipped this way is not retried; one behind the cursor still is. If the listener records a topic,
-- the skipped positions are missing in the event log, and that is recorded. A listener keeps its mode: in shadow it records from
-- the new position on, and live it sends from there, even if it was in shadow there before.
-- gives: where it stood. touches: delivery, listener, setback, event_log_forgotten. locks: the listener's place in the ledger
with locked as materialized (
  select l.name, pg_advisory_xact_lock('postrider.delivery'::regclass::oid::int4, l.id)::text as got
  from postrider.listener l
  where l.name = :listener
), stood as (
  select k.name, d.to_position as position, d.n
  from locked k
  left join lateral (
    select d.to_position, d.n from postrider.delivery d where d.listener = k.name order by d.n desc limit 1) d on true
), passed as (
  delete from postrider.setback s
  using stood k where s.listener = k.name and s.position > k.position and s.position <= :to_position
), started as (
  insert into postrider.delivery (n, listener, from_position, to_position, events, worker)
  select postrider.next_number('delivery_numbers', k.n), k.name, 0, :to_position, 0, :worker from stood k
  returning listener
), attached as (
  update postrider.listener l
  set detached_at = null, course = greatest(l.course + 1, (extract(epoch from clock_timestamp()) * 1000)::int8),
    unavailable_since = null, unavailable_tries = 0, unavailable_error = null, unavailable_until = null,
    shadow_from = case when l.shadow_from is not null and (l.live_from is null or k.position + 1 < l.live_from)
      then least(l.shadow_from, :to_position + 1) else l.shadow_from end,
    live_from = case when k.position + 1 >= l.live_from then least(l.live_from, :to_position + 1) else l.live_from end
  from started s, stood k where l.name = s.listener and k.name = s.listener
), forgotten as (
  insert into postrider.event_log_forgotten as f (topic, position)
  select l.topic, :to_position
  from stood k
  join postrider.listener l on l.name = k.name and l.name = 'event_log:' || l.topic
  where :to_position > k.position
  on conflict (topic) do update set position = greatest(f.position, excluded.position)
)
select coalesce(max(k.position), 0) as stood, pg_notify('postrider', 'steer')::text as told from stood k
