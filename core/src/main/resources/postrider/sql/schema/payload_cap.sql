-- the cap on payloads that the table has
select substring(pg_get_constraintdef(c.oid) from '<= (\d+)')::int8 as cap
from pg_constraint c
where c.conrelid = 'postrider.event'::regclass and c.conname = 'event_payload_is_under_the_cap'
