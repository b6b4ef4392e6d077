-- asks the node that runs a relay to read what another publisher has written to its sink, and notifies it. Deletes requests that
-- were left behind. gives: its number; no row if there is no such relay. touches: shadow_reading
with old as (
  delete from postrider.shadow_reading r where r.asked_at < clock_timestamp() - interval '1 hour'
), asked as (
  insert into postrider.shadow_reading (listener, place, id_place, payload_place, since, for_millis)
  select l.name, :place, :id_place, :payload_place, :since, :for_millis
  from postrider.listener l
  where l.name = :listener and l.sink is not null
  returning id
)
select a.id, pg_notify('postrider', 'steer')::text as told from asked a
