-- producers, roles that may insert into event, that may also create objects: temporary ones in this database, or others in a schema.
-- Left out: superusers, the owner of the schema, and system roles. A role inherits the rights of PUBLIC and of its groups
select r.rolname::text as role, has_database_privilege(r.oid, d.oid, 'temporary') as is_temporary,
  array(
    select n.nspname::text
    from pg_namespace n
    where n.nspname !~ '^pg_' and has_schema_privilege(r.oid, n.oid, 'create')
    order by n.nspname) as schemas
from pg_roles r
join pg_database d on d.datname = current_database()
join pg_class c on c.relname = 'event'
join pg_namespace o on o.oid = c.relnamespace and o.nspname = 'postrider'
where has_any_column_privilege(r.oid, c.oid, 'insert')
and not r.rolsuper
and r.rolname !~ '^pg_'
and not pg_has_role(r.oid, c.relowner, 'usage')
and (has_database_privilege(r.oid, d.oid, 'temporary')
  or exists (select from pg_namespace n where n.nspname !~ '^pg_' and has_schema_privilege(r.oid, n.oid, 'create')))
order by r.rolname
limit 20
