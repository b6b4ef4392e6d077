-- the payload cap of the schema
select substring(pg_get_constraintdef(c.oid) from '<= (\d+)')::int8 as cap
from pg_constraint c
where c.contypid = 'postrider.event_payload'::regtype and c.conname = 'payload_is_under_the_cap'
