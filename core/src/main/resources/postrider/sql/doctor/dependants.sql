-- what depends on the tables that retention has emptied and detached, because it could not drop them (drop_segments).
-- A view depends on a table through its rule
select c.relname::text as name, d.what, d.owner
from pg_class c
cross join lateral (
  select distinct coalesce(pg_describe_object('pg_class'::regclass, v.oid, 0), pg_describe_object(d.classid, d.objid, 0)) as what,
    coalesce(pg_get_userbyid(coalesce(v.relowner, r.relowner, p.proowner, t.typowner))::text, '') as owner
  from pg_depend d
  left join pg_rewrite w on d.classid = 'pg_rewrite'::regclass and w.oid = d.objid
  left join pg_class v on v.oid = w.ev_class
  left join pg_class r on d.classid = 'pg_class'::regclass and r.oid = d.objid
  left join pg_proc p on d.classid = 'pg_proc'::regclass and p.oid = d.objid
  left join pg_type t on d.classid = 'pg_type'::regclass and t.oid = d.objid
  where d.deptype = 'n'
  and (d.refclassid = 'pg_class'::regclass and d.refobjid = c.oid
    or d.refclassid = 'pg_type'::regclass and d.refobjid in (
      select y.oid from pg_type y where y.oid = c.reltype
      union all
      select y.typarray from pg_type y where y.oid = c.reltype))
  and not exists (select from pg_policy o where d.classid = 'pg_policy'::regclass and o.oid = d.objid and o.polrelid = c.oid)
) d
where c.relnamespace = (select n.oid from pg_namespace n where n.nspname = 'postrider')
and c.relkind = 'r' and not c.relispartition
and obj_description(c.oid, 'pg_class') = 'detached by retention'
order by c.oid, d.what
limit 10
