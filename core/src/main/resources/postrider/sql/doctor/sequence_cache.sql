-- how many numbers a session draws at once
select q.seqcache as cache
from pg_sequence q
join pg_class c on c.oid = q.seqrelid
where c.relnamespace = (select n.oid from pg_namespace n where n.nspname = 'postrider')
and c.relname = 'event_ids'
