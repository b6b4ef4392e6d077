-- Shadows every operator and function of pg_catalog with one of the same name and arguments in public, and creates operators for
-- pairs of types for which pg_catalog has none. Each counts its calls with a sequence, which a rollback does not undo, and fails.
create sequence public.shadow_calls;

create function public.shadow_called(what text) returns void language plpgsql set search_path = pg_catalog as $$
begin
  perform nextval('public.shadow_calls');
  raise exception 'shadowed: %', what;
end
$$;

do $do$
declare
  one    record;
  body   constant text := 'begin perform public.shadow_called(%L); end';
  named  text;
  made   int := 0;
begin
  perform set_config('search_path', 'pg_catalog', true);
  perform set_config('check_function_bodies', 'off', true);
  for one in
    select o.oprname as name, o.oprleft::regtype as l, o.oprright::regtype as r, o.oprresult::regtype as result
    from pg_operator o
    where o.oprnamespace = 'pg_catalog'::regnamespace
    union
    select n.name, l.type::regtype, r.type::regtype, 'boolean'::regtype
    from unnest('{%,*,+,-,||,=,<>,<,>,<=,>=}'::text[]) n (name)
    cross join unnest('{int2,int4,int8,numeric,float8,text,varchar,oid,xid8,interval,timestamptz,uuid,jsonb,name}'::text[]) l (type)
    cross join unnest('{int2,int4,int8,numeric,float8,text,varchar,oid,xid8,interval,timestamptz,uuid,jsonb,name}'::text[]) r (type)
    where not exists (
      select from pg_operator o
      where o.oprname = n.name and o.oprleft = l.type::regtype and o.oprright = r.type::regtype)
  loop
    made := made + 1;
    named := 'public.shadow_of_' || made;
    begin
      execute format('create function %s(%s) returns %s language plpgsql as %L', named,
        concat_ws(', ', nullif(one.l::text, '-'), one.r), one.result, format(body, one.l || ' ' || one.name || ' ' || one.r));
      execute format('create operator public.%s (%s rightarg = %s, function = %s)', one.name,
        case when one.l::text <> '-' then 'leftarg = ' || one.l || ',' else '' end, one.r, named);
    exception when others then
      null;  -- PL/pgSQL functions cannot take this type
    end;
  end loop;
  for one in
    select p.proname as name, pg_get_function_identity_arguments(p.oid) as arguments, p.proretset as is_set,
      case when p.prorettype in ('record'::regtype, 'void'::regtype) then p.prorettype::regtype::text
        else format_type(p.prorettype, null) end as result
    from pg_proc p
    where p.pronamespace = 'pg_catalog'::regnamespace and p.prokind in ('f', 'a')
  loop
    begin
      execute format('create function public.%I(%s) returns %s %s language plpgsql as %L', one.name, one.arguments,
        case when one.is_set then 'setof' else '' end, one.result, format(body, one.name || '(' || one.arguments || ')'));
    exception when others then
      null;
    end;
  end loop;
end
$do$;
