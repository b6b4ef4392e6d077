-- functions of the schema that use the caller's search_path, or that JIT may compile
select p.proname::text as name,
  exists (select from unnest(p.proconfig) c where c like 'search\_path=%') as pinned,
  exists (select from unnest(p.proconfig) c where c = 'jit=off') as plain
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
where n.nspname = 'postrider'
and (p.proconfig is not null or p.prosqlbody is null)  -- a body that was parsed at creation resolves no names at run time
and not (exists (select from unnest(p.proconfig) c where c like 'search\_path=%')
  and exists (select from unnest(p.proconfig) c where c = 'jit=off'))
order by p.proname
