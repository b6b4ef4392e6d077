-- adopt_pending(spec, only_unfinished): the rows t of an adopted table that import would take over, as the part of a query from
-- FROM on, without its order
create or replace function postrider.adopt_pending(spec jsonb, only_unfinished boolean)
returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
set jit = off
as $$
begin
  return format('from %s t where not exists (select from postrider.adopted a where a.source = %L and a.adopted_id = t.%I::text) and %s',
    spec ->> 'source', spec ->> 'source', spec #>> '{fields,id}',
    case when only_unfinished or spec ->> 'kind' = 'jobs' then postrider.adopt_unfinished(spec) else 'true' end);
end
$$;
