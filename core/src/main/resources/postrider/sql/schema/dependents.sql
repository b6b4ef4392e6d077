-- objects outside the schema that depend on it and would be dropped with it: views, triggers, columns, constraints
select distinct coalesce(pg_describe_object('pg_class'::regclass, case d.classid
    when 'pg_rewrite'::regclass then (select r.ev_class from pg_rewrite r where r.oid = d.objid)
    when 'pg_class'::regclass then (select c.oid from pg_class c where c.oid = d.objid and c.relkind in ('v', 'm'))
  end, 0), pg_describe_object(d.classid, d.objid, d.objsubid)) as dependent
from pg_depend d
join (
  select 'pg_class'::regclass::oid as classid, c.oid from pg_class c where c.relnamespace = 'postrider'::regnamespace
  union all
  select 'pg_proc'::regclass, p.oid from pg_proc p where p.pronamespace = 'postrider'::regnamespace
  union all
  select 'pg_type'::regclass, t.oid from pg_type t where t.typnamespace = 'postrider'::regnamespace
) o on o.classid = d.refclassid and o.oid = d.refobjid
where d.deptype = 'n'
and case d.classid
  when 'pg_rewrite'::regclass then (
    select c.relnamespace from pg_rewrite r join pg_class c on c.oid = r.ev_class where r.oid = d.objid)
  when 'pg_trigger'::regclass then (
    select c.relnamespace from pg_trigger t join pg_class c on c.oid = t.tgrelid where t.oid = d.objid)
  when 'pg_class'::regclass then (select c.relnamespace from pg_class c where c.oid = d.objid)
  when 'pg_constraint'::regclass then (select c.connamespace from pg_constraint c where c.oid = d.objid)
  when 'pg_proc'::regclass then (select p.pronamespace from pg_proc p where p.oid = d.objid)
end <> 'postrider'::regnamespace
order by 1
