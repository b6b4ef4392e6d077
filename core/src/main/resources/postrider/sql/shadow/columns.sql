-- the columns of the tables with a name, in a schema or in any but ours (null), with their types. Our compatibility views have the
-- names of outbox tables that exist already
select a.attname::text as name, format_type(a.atttypid, a.atttypmod) as type, n.nspname::text as schema, c.relname::text as table,
  has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select') as readable
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where c.relname = :table
and (n.nspname = :schema or (:schema::text is null and n.nspname not in ('information_schema', 'postrider') and n.nspname not like 'pg!_%' escape '!'))
and c.relkind in ('r', 'p', 'v', 'm', 'f')
order by n.nspname, a.attnum
