-- adopt_has_rows(spec): whether a table has rows that import would take over
create or replace function postrider.adopt_has_rows(spec jsonb)
returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  has_rows boolean;
begin
  execute format('select exists (select 1 %s)', postrider.adopt_pending(spec, false)) into has_rows;
  return has_rows;
end
$$;
