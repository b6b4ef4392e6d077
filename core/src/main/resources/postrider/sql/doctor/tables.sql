-- tables of the schema that would lose their rows in a crash, or for which autovacuum is disabled. The table presence
-- is unlogged on purpose
select c.relname::text as name, c.relpersistence <> 'p' as lossy,
  coalesce('autovacuum_enabled=false' = any (c.reloptions) or 'autovacuum_enabled=off' = any (c.reloptions), false)
    as unvacuumed
from pg_class c
where c.relnamespace = (select n.oid from pg_namespace n where n.nspname = 'postrider')
and c.relkind in ('r', 'p', 'S')
and c.relname <> 'presence'
and (c.relpersistence <> 'p' or 'autovacuum_enabled=false' = any (c.reloptions)
  or 'autovacuum_enabled=off' = any (c.reloptions))
order by c.relname
limit 20
