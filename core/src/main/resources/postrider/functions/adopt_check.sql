-- adopt_check(spec, only_unfinished): how many rows import would take over, and those that cannot become an event. Read-only
create or replace function postrider.adopt_check(
  spec             jsonb,
  only_unfinished  boolean,
  out pending      bigint,
  out bad          bigint,
  out bad_id       text,
  out bad_problem  text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set jit = off
as $$
begin
  execute format(
    'select count(*), count(c.problem), (min(array[t.id, c.problem]) filter (where c.problem is not null))[1],
       (min(array[t.id, c.problem]) filter (where c.problem is not null))[2]
     from (select t.%I::text as id, postrider.adopt_json(t) as old %s) t
     cross join lateral postrider.adopt_convert($1, t.id, t.old) c',
    spec #>> '{fields,id}', postrider.adopt_pending(spec, only_unfinished))
  into pending, bad, bad_id, bad_problem using spec;
end
$$;
