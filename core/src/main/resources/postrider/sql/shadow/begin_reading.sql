-- the node takes the next request to read from a relay's sink; no row if there is none. touches: shadow_reading
update postrider.shadow_reading r
set begun_at = clock_timestamp()
where r.id = (
  select o.id from postrider.shadow_reading o
  where o.listener = :listener and o.begun_at is null
  order by o.id limit 1
  for update skip locked)
returning r.id, r.place, r.id_place, r.payload_place, r.since, r.for_millis
