-- schemas on the initial search_path of this role's sessions in which other roles may create objects: such an object can shadow
-- one of our functions or operators. Excludes roles that could replace ours anyway: superusers, and the owner of the schema
select s.name::text as schema, string_agg(distinct case a.grantee when 0 then 'PUBLIC' else r.rolname::text end, ', ') as roles,
  array_agg(distinct coalesce(r.rolname::text, '')) as grantees
from (
  select distinct case btrim(p.name, ' "') when '$user' then session_user else btrim(p.name, ' "') end as name
  from pg_settings g, unnest(string_to_array(g.reset_val, ',')) p (name)
  where g.name = 'search_path'
) s
join pg_namespace n on n.nspname = s.name
cross join lateral aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) a
left join pg_roles r on r.oid = a.grantee
where a.privilege_type = 'CREATE'
and s.name !~ '^pg_'
and coalesce(not r.rolsuper, true)
and a.grantee <> n.nspowner
and a.grantee <> (select o.nspowner from pg_namespace o where o.nspname = 'postrider')
group by s.name
order by s.name
