-- a table to adopt, and what the role may do with it
select format('%I.%I', n.nspname, c.relname) as source, c.relkind::text as kind, c.relispartition as is_partition,
  pg_get_userbyid(c.relowner)::text as owner, current_user::text as role, pg_has_role(c.relowner, 'USAGE') as owned,
  has_function_privilege('postrider.adopt_bridge()', 'execute') as may_attach, n.nspname = 'postrider' as ours
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where n.nspname = :schema and c.relname = :table and c.relkind in ('r', 'p', 'v', 'm', 'f')
