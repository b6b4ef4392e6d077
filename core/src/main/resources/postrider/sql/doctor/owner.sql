-- the owner of the schema's tables, and whether the role may act as that owner, which migrations and retention need
select o.rolname::text as owner, current_user::text as role, pg_has_role(o.oid, 'usage') as is_owner
from pg_class c
join pg_roles o on o.oid = c.relowner
where c.relnamespace = (select n.oid from pg_namespace n where n.nspname = 'postrider')
and c.relname = 'event'
