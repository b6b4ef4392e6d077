-- messages that were read, in order. touches: shadow_seen
insert into postrider.shadow_seen (reading, n, lanes, ids, messages, payloads)
select r.id, :n, :lanes::text[], :ids::text[], :messages::int8[], :payloads::int8[]
from postrider.shadow_reading r
where r.id = :reading
